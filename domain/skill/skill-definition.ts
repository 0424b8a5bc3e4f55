import { z } from 'zod';
import { definitionControlsSchema, failurePolicySchema } from '../agent';
import {
  checkValue,
  definitionFields,
  type FieldProblem,
  fieldProblems,
  filledTextSchema,
  jsonDigest,
} from '../kernel';
import { commandSettingsSchema } from '../command';
import { mcpGrantsSchema } from '../mcp';
import { modelWishesSchema } from '../model';
import { controlsProblems } from '../prompt';
import { approvalRulesSchema } from '../tool';
import { approvalProblems } from '../tool/approval';
import { parsePath } from '../workspace';
import { defaultOutput, type JsonSchema, jsonSchemaSchema, outputFormatSchema } from '../prompt/output';

const path = z.string().refine(isPlain, 'must be a path relative to the workspace, such as .planning/PROJECT.md');

const tag = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'must be a name of letters, digits, `_` and `-`')
  .refine((name) => name.toLowerCase() !== absentTag, 'is reserved for the list of missing sources');

/** Tag of the list of absent sources. */
export const absentTag = 'absent';

const sourceSchema = z.union(
  [
    path,
    z.strictObject({ outline: z.literal(true) }),
    z.strictObject({
      mentionedIn: path,
      /** Files and folders to exclude, even if the text mentions them. */
      except: z.array(path).optional(),
    }),
  ],
  'must be a path, {outline: true} or {mentionedIn: path}',
);

/** One source that is injected into an agent's prompt, and the tag around it. */
const sliceEntrySchema = z.strictObject({ source: sourceSchema, tag, required: z.boolean().optional() });
export type ContextSliceEntry = Readonly<z.infer<typeof sliceEntrySchema>>;

/** A context slice: the sources that a skill injects into its prompt. */
const contextSliceSchema = z.array(sliceEntrySchema).max(50);
export type ContextSlice = readonly ContextSliceEntry[];

function isPlain(text: string): boolean {
  try {
    return parsePath(text) === text;
  } catch {
    return false;
  }
}

const limitsSchema = z.strictObject({
  maxTurns: z.int().positive().optional(),
  /** Maximum estimated tokens that the context slice may inject into the prompt. */
  maxInjectedTokens: z.int().positive().optional(),
  /** Share of the context window (0 to 1) at which the agent has to hand off. */
  handoffAt: z.number().gt(0).max(1).optional(),
  maxHandoffs: z.int().nonnegative().optional(),
  /** Maximum tokens of all calls together. */
  budgetTokens: z.int().positive().optional(),
  deadlineSeconds: z.int().positive().optional(),
  /** What to do when automatic retries are exhausted. If omitted, the policy of the run applies. */
  onFailure: failurePolicySchema.optional(),
});

const skillInputSchema = jsonSchemaSchema.refine(({ type }) => type === 'object', 'must have type: object');

/** The format of a skill's final message; null for free text, which a file requests with `text`. */
const outputSchema = z.preprocess((value, context) => {
  if (typeof value !== 'string') return value;
  if (value !== 'text') context.addIssue({ code: 'custom', message: 'must be text, or have either json or xml' });
  return null;
}, outputFormatSchema.nullable());

/** Where an imported skill comes from. */
const originSchema = z.strictObject({
  /** Name of the MCP server. */
  mcp: z.string().min(1).max(64),
  /** Name of the prompt there. */
  prompt: z.string().min(1).max(500).optional(),
  /** URI of the skill there. */
  skill: z.string().min(1).max(2_000).optional(),
  /** Digest of what was imported: of the prompt's text, or of `SKILL.md`. */
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits'),
  /** Version of the server. */
  version: z.string().max(100).optional(),
});
export type SkillOrigin = Readonly<z.infer<typeof originSchema>>;
function isSingle(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A skill as written in a file. Fields with a default may be omitted. */
const skillFileSchema = z.strictObject({
  ...definitionFields,
  systemPrompt: filledTextSchema,
  task: filledTextSchema.optional(),
  tools: z.array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the name of a tool')),
  input: skillInputSchema.optional(),
  output: outputSchema.optional(),
  slice: contextSliceSchema.optional(),
  model: modelWishesSchema.optional(),
  limits: limitsSchema.optional(),
  /** Controls of the delegations to this skill. */
  delegation: definitionControlsSchema.optional(),
  /** Set for a skill that was imported from an MCP server. */
  origin: originSchema.optional(),
  /** MCP servers and tools that agents with this skill may use, whatever their parent may. */
  mcp: mcpGrantsSchema.optional(),
  /** Grants `run_command` to agents with this skill, also in runs that don't grant it. */
  commands: commandSettingsSchema.optional(),
  /** Calls that an operator has to approve, by the skill's agent and those below it. A file may have a single rule. */
  approve: z.preprocess((value) => (isSingle(value) ? [value] : value), approvalRulesSchema).optional(),
});
type SkillFile = Readonly<z.infer<typeof skillFileSchema>>;

/** A complete skill definition, as pinned by a run. Plain JSON. */
export const skillDefinitionSchema = skillFileSchema.extend({
  task: filledTextSchema,
  input: skillInputSchema,
  output: outputFormatSchema.nullable(),
  slice: contextSliceSchema,
  model: modelWishesSchema,
  limits: limitsSchema,
});
export type SkillDefinition = Readonly<z.infer<typeof skillDefinitionSchema>>;

const defaultTask =
  'Follow the SYSTEM section for the INPUT, using the CONTEXT. Nobody answers questions: decide, and state your assumptions.';

const defaultInput: JsonSchema = {
  type: 'object',
  properties: { goal: { type: 'string', title: 'User Goal', minLength: 1 } },
  required: ['goal'],
  additionalProperties: false,
};

/** A complete definition, or all problems found in it. */
export type ParsedSkill =
  | { readonly ok: true; readonly skill: SkillDefinition }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** Validates a definition and fills in defaults. Returns all problems at once, so that an author can fix them together. */
export function parseSkill(value: unknown): ParsedSkill {
  const parsed = checkValue(skillFileSchema, value);
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap(fieldProblems) };
  const problems = [
    ...within('delegation', controlsProblems(parsed.data.delegation)),
    ...within('approve', approvalProblems(parsed.data.approve)),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, skill: complete(parsed.data) };
}

function within(field: string, problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.map(({ path, message }) => ({ path: [field, ...path], message }));
}

function complete(file: SkillFile): SkillDefinition {
  return {
    ...file,
    task: file.task ?? defaultTask,
    tools: [...new Set(file.tools)],
    input: file.input ?? defaultInput,
    output: file.output === undefined ? defaultOutput : file.output,
    slice: file.slice ?? [],
    model: file.model ?? {},
    limits: file.limits ?? {},
  };
}

/** Returns the hash of a skill. Comments, layout and the order of fields in its file do not affect it. */
export function skillHash(skill: SkillDefinition): string {
  return jsonDigest(skill);
}
