import { z } from 'zod';
import { canonicalJson, filledTextSchema, jsonDigest, matchesGlob, utf8 } from '../kernel';
import { askOperatorName } from './ask-operator';
import { requestToolName } from './request-tool';

/** Maximum characters of a pattern. */
const maxPattern = 500;

const patternSchema = z.string().min(1).max(maxPattern);

/**
 * A rule about calls that an operator has to approve. Nothing can remove a rule of an agent above, of the run or of the
 * worker: an agent has the rules of all of them.
 */
export const approvalRuleSchema = z.strictObject({
  /** Name of a tool. `*` matches any part of a name, as in `mcp__github__*`. */
  tool: z
    .string()
    .regex(/^[a-zA-Z0-9_*-]{1,64}$/, 'must be the name of a tool, in which * matches any part, such as mcp__github__*'),
  /**
   * Which calls: a regular expression (RE2) that is found in any text of the arguments, or in all of them as JSON; or
   * one for each of some arguments, all of which must be found. Default: every call.
   */
  when: z
    .union(
      [patternSchema, z.record(z.string().min(1).max(100), patternSchema).refine(isNotEmpty, 'must name an argument')],
      'must be a regular expression, or one for each of some arguments',
    )
    .optional(),
  /** Why, for the operator and, if the call is denied, for the model. */
  reason: filledTextSchema.max(300).optional(),
});
/** A rule about calls that an operator has to approve. */
export type ApprovalRule = Readonly<z.infer<typeof approvalRuleSchema>>;

/** Maximum bytes of a list of rules. They are part of the start arguments of every agent. */
const maxRuleBytes = 4 * 1024;

/** The rules of a worker, a run, a prompt or a skill. */
export const approvalRulesSchema = z
  .array(approvalRuleSchema)
  .max(50)
  .refine((rules) => utf8(canonicalJson(rules)).length <= maxRuleBytes, `must have at most ${maxRuleBytes} bytes`);

function isNotEmpty(value: object): boolean {
  return Object.keys(value).length > 0;
}

/** Tools that wait for an operator themselves. A pattern of names does not include them. */
const asksItself: readonly string[] = [askOperatorName, requestToolName];

/** Returns whether a rule is about calls of this tool. */
export function isAbout({ tool }: ApprovalRule, name: string): boolean {
  if (!tool.includes('*')) return tool === name;
  return !asksItself.includes(name) && matchesGlob(tool, name);
}

const idLength = 12;

/** Identifies a rule by what it demands. Two rules that differ only in their reason are one rule. */
export function ruleId({ tool, when }: ApprovalRule): string {
  return jsonDigest({ tool, when: when ?? null }).slice(0, idLength);
}

/** Joins lists of rules, without those that are there already. */
export function joinRules(...lists: readonly (readonly ApprovalRule[] | undefined)[]): readonly ApprovalRule[] {
  const joined = new Map<string, ApprovalRule>();
  for (const rule of lists.flatMap((list) => list ?? [])) {
    const id = ruleId(rule);
    if (!joined.has(id)) joined.set(id, rule);
  }
  return [...joined.values()];
}
