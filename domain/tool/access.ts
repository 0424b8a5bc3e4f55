import { z } from 'zod';
import { filledTextSchema, globSchema, matchesGlob } from '../kernel';
import { type ApprovalRule, approvalRuleSchema, isAbout, joinRules } from './approval-rules';
import { toolNameSchema, type ToolDescription } from './description';

const scalar = z.union(
  [z.string(), z.number(), z.boolean(), z.null()],
  'must be a text, a number, true, false or null',
);

/** A rule for the value of one argument. If the value is a list, each of its entries must comply. */
const argumentRuleSchema = z
  .strictObject({
    /** The values that are allowed. */
    enum: z.array(scalar).min(1).max(100).optional(),
    /** The texts that are allowed: `*` matches anything within the name of a file or folder, `**` anything. */
    glob: z.array(globSchema).min(1).max(50).optional(),
    maxLength: z.int().nonnegative().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  })
  .refine((rule) => Object.keys(rule).length > 0, 'must have enum, glob, maxLength, minimum or maximum');
type ArgumentRule = Readonly<z.infer<typeof argumentRuleSchema>>;

export const argumentRulesSchema = z.record(z.string().min(1), argumentRuleSchema);
export type ArgumentRules = Readonly<z.infer<typeof argumentRulesSchema>>;

/** Why a tool is not available as the parent has it, and what to do instead. */
const explanation = { reason: filledTextSchema, alternative: filledTextSchema };
const explanationSchema = z.strictObject(explanation);

/** A restriction that is enforced at every call of a tool. */
const restrictionFields = {
  ...explanation,
  arguments: argumentRulesSchema.optional(),
  /** Maximum calls of the agent and everything below it. */
  maxCalls: z.int().min(1).max(1_000_000).optional(),
  /** Whether an operator has to approve each call. */
  approval: z.literal(true, 'must be true, or left out').optional(),
};
const restrictionSchema = z.strictObject(restrictionFields);
/** A restriction that is enforced at every call of a tool. */
export type Restriction = Readonly<z.infer<typeof restrictionSchema>>;

/** The access of an agent to one tool of its parent. */
const toolAccessSchema = z.discriminatedUnion(
  'access',
  [
    z.strictObject({ access: z.literal('inherited') }),
    z
      .strictObject({ access: z.literal('restricted'), ...restrictionFields })
      .refine(
        ({ arguments: rules, maxCalls, approval }) => rules ?? maxCalls ?? approval,
        'must have arguments, maxCalls or approval: a restriction without any of them would not be enforced',
      ),
    z.strictObject({ access: z.literal('revoked'), ...explanation }),
  ],
  'must be inherited, restricted or revoked',
);

/** Access by tool name. A tool that is not listed is inherited. */
export const toolControlsSchema = z.record(toolNameSchema, toolAccessSchema);
export type ToolControls = Readonly<z.infer<typeof toolControlsSchema>>;

/**
 * The restrictions of an agent, by tool name. Pinned when it is opened, also for tools that it does not have, so that
 * one that is granted later is restricted too.
 */
export const pinnedAccessSchema = z.object({
  restricted: z.record(z.string(), z.array(restrictionSchema).readonly()),
  revoked: z.record(z.string(), explanationSchema),
  /** Rules about calls that an operator has to approve; omitted when there are none. */
  approve: z.array(approvalRuleSchema).readonly().exactOptional(),
});
export type PinnedAccess = Readonly<z.infer<typeof pinnedAccessSchema>>;

/** Returns the restrictions of a tool; none for an agent without any. */
export function restrictionsOf(access: PinnedAccess | undefined, tool: string): readonly Restriction[] {
  return access !== undefined && Object.hasOwn(access.restricted, tool) ? (access.restricted[tool] ?? []) : [];
}

/** Returns the rules about calls of a tool that an operator has to approve, those of its restrictions included. */
export function approvalRulesFor(access: PinnedAccess | undefined, tool: string): readonly ApprovalRule[] {
  if (access === undefined) return [];
  const restricting = restrictionsOf(access, tool).flatMap(({ approval, reason }) =>
    approval === true ? [{ tool, reason }] : [],
  );
  return joinRules(
    restricting,
    access.approve?.filter((rule) => isAbout(rule, tool)),
  );
}

/** Returns whether any tool is restricted or revoked. Approval rules do neither. */
export function isRestricting({ restricted, revoked }: PinnedAccess): boolean {
  return Object.keys(restricted).length + Object.keys(revoked).length > 0;
}

/** Adds rules to those of the parent. Undefined when there are neither rules nor restrictions. */
export function withApprovals(
  given: PinnedAccess | undefined,
  rules: readonly ApprovalRule[] | undefined,
): PinnedAccess | undefined {
  if (rules === undefined || rules.length === 0) return given;
  return { ...(given ?? { restricted: {}, revoked: {} }), approve: joinRules(given?.approve, rules) };
}

/** Returns why a tool was revoked; undefined when it was not. */
export function revocationOf(
  access: PinnedAccess | undefined,
  tool: string,
): Readonly<z.infer<typeof explanationSchema>> | undefined {
  return access !== undefined && Object.hasOwn(access.revoked, tool) ? access.revoked[tool] : undefined;
}

/** Returns the reasons and alternatives of all restrictions of a tool; undefined when it has none. */
export function explainRestrictions(
  access: PinnedAccess | undefined,
  tool: string,
): { readonly reason: string; readonly alternative: string } | undefined {
  const restrictions = restrictionsOf(access, tool);
  if (restrictions.length === 0) return undefined;
  return {
    reason: restrictions.map(({ reason }) => reason).join(' '),
    alternative: restrictions.map(({ alternative }) => alternative).join(' '),
  };
}

/**
 * Adds restrictions to those of the parent. Nothing can be taken away from them: access only shrinks from parent to
 * child. Undefined when nothing is restricted.
 */
export function narrowAccess(given: PinnedAccess | undefined, controls: ToolControls = {}): PinnedAccess | undefined {
  const restricted: [string, readonly Restriction[]][] = [];
  const revoked: [string, z.infer<typeof explanationSchema>][] = [];
  for (const [tool, entry] of Object.entries(controls)) {
    if (entry.access === 'revoked') revoked.push([tool, { reason: entry.reason, alternative: entry.alternative }]);
    if (entry.access !== 'restricted') continue;
    const { access: _access, ...restriction } = entry;
    restricted.push([tool, [...restrictionsOf(given, tool), restriction]]);
  }
  if (restricted.length + revoked.length === 0) return given;
  return {
    ...given,
    restricted: { ...given?.restricted, ...Object.fromEntries(restricted) },
    revoked: { ...Object.fromEntries(revoked), ...given?.revoked },
  };
}

/** Returns the maximum calls by tool name, for the tools whose calls are limited. */
export function callLimitsOf({ restricted }: PinnedAccess): Record<string, number> {
  const limits = Object.entries(restricted).map(([tool, restrictions]) => {
    return [tool, Math.min(...restrictions.map(({ maxCalls = Infinity }) => maxCalls))] as const;
  });
  return Object.fromEntries(limits.filter(([, limit]) => Number.isFinite(limit)));
}

/**
 * Returns the tools that an agent gets: without the revoked ones, and with its restrictions in their descriptions, where
 * every model sees them. Returns the same list if nothing changes.
 */
export function permittedTools(
  tools: readonly ToolDescription[],
  access: PinnedAccess | undefined,
): readonly ToolDescription[] {
  if (access === undefined) return tools;
  const permitted = tools.flatMap((tool) =>
    revocationOf(access, tool.name) === undefined ? [withRestrictions(tool, access)] : [],
  );
  return permitted.length === tools.length && permitted.every((tool, index) => tool === tools[index])
    ? tools
    : permitted;
}

/** Adds restrictions to a tool's description, unless it contains them already, as those of a parent do. */
export function withRestrictions(tool: ToolDescription, access: PinnedAccess | undefined): ToolDescription {
  const notes = restrictionsOf(access, tool.name).map(restrictionNote);
  const missing = notes.filter((note) => !tool.description.includes(note));
  return missing.length === 0 ? tool : { ...tool, description: [tool.description, ...missing].join('\n\n') };
}

function restrictionNote(restriction: Restriction): string {
  const { reason, alternative } = restriction;
  return `Restricted: ${describeRestriction(restriction)}. Reason: ${reason} Alternative: ${alternative}`;
}

/** Describes what a restriction demands, as part of a sentence. */
export function describeRestriction({ arguments: rules = {}, maxCalls, approval }: Restriction): string {
  const calls = maxCalls === 1 ? '1 call' : `${maxCalls ?? 0} calls`;
  return [
    ...Object.entries(rules).map(([name, rule]) => `\`${name}\` must ${describeRule(rule)}`),
    ...(maxCalls === undefined ? [] : [`at most ${calls} by you and your delegations together`]),
    ...(approval === undefined ? [] : ['an operator has to approve each call']),
  ].join('; ');
}

function describeRule({ enum: values, glob, maxLength, minimum, maximum }: ArgumentRule): string {
  const oneOf = (list: readonly unknown[]): string => list.map((value) => JSON.stringify(value)).join(' or ');
  return [
    ...(values === undefined ? [] : [`be ${oneOf(values)}`]),
    ...(glob === undefined ? [] : [`match ${oneOf(glob)}`]),
    ...(maxLength === undefined ? [] : [`have at most ${maxLength} characters`]),
    ...(minimum === undefined ? [] : [`be at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`be at most ${maximum}`]),
  ].join(' and ');
}

/** Result of checking the arguments of a call. */
export const checkedCallSchema = z.object({
  /** The first violation, and the index of the rules that it violates; null when the call is allowed. */
  violation: z.object({ of: z.int().nonnegative(), message: z.string() }).nullable(),
});
export type CheckedCall = Readonly<z.infer<typeof checkedCallSchema>>;

/** Checks the input of a call, given as JSON text, against rules. */
export function checkCall(rules: readonly ArgumentRules[], text: string): CheckedCall {
  const input: unknown = JSON.parse(text);
  const messages = rules.map((rule) => argumentViolation(rule, input));
  const of = messages.findIndex((message) => message !== undefined);
  return { violation: of === -1 ? null : { of, message: messages[of] ?? '' } };
}

/** Returns the first violation as a sentence; undefined when the input is allowed. */
function argumentViolation(rules: ArgumentRules, input: unknown): string | undefined {
  const given = new Map(typeof input === 'object' && input !== null ? Object.entries(input) : []);
  for (const [name, rule] of Object.entries(rules)) {
    const value: unknown = given.get(name);
    if (value === undefined) return `\`${name}\` must be given, and ${describeRule(rule)}.`;
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!entries.every((entry) => complies(rule, entry))) return `\`${name}\` must ${describeRule(rule)}.`;
  }
  return undefined;
}

function complies({ enum: values, glob, maxLength, minimum, maximum }: ArgumentRule, value: unknown): boolean {
  const isText = typeof value === 'string';
  const isNumber = typeof value === 'number';
  return (
    (values === undefined || values.some((allowed) => allowed === value)) &&
    (glob === undefined || (isText && glob.some((pattern) => matchesGlob(pattern, value)))) &&
    (maxLength === undefined || (isText && value.length <= maxLength)) &&
    (minimum === undefined || (isNumber && value >= minimum)) &&
    (maximum === undefined || (isNumber && value <= maximum))
  );
}
