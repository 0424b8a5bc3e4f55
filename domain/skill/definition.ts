import { z } from 'zod';
import { failurePolicySchema } from '../agent/settings';
import { InvalidInputError } from '../errors';
import { jsonDigest } from '../hash';
import { chooseModel } from '../model/known-models';
import { jsonSchemaSchema, type JsonSchema } from './json-schema';
import { outputFormatSchema } from './output-format';
import { sliceSchema } from './slice';

const text = z.string().refine((value) => value.trim() !== '', 'must not be empty');

/** Settings that differ from the run's own; what is left out is taken from there. */
const modelWishesSchema = z
  .strictObject({
    name: z.string().min(1).max(100).optional(),
    maxTokens: z.int().positive().max(1_000_000).optional(),
    window: z.int().positive().max(100_000_000).optional(),
    temperature: z.number().min(0).max(1).optional(),
  })
  .superRefine((wishes, check) => {
    try {
      chooseModel(wishes);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      const field = error.field === 'model' ? 'name' : error.field;
      check.addIssue({ code: 'custom', path: [field], message: error.reason });
    }
  });

const limitsSchema = z.strictObject({
  maxTurns: z.int().positive().optional(),
  /** Estimated tokens that the slice may put into the prompt. */
  maxInjectedTokens: z.int().positive().optional(),
  /** Share of the model's window at which the agent has to hand over. */
  handoffAt: z.number().gt(0).max(1).optional(),
  maxHandoffs: z.int().nonnegative().optional(),
  /** Tokens of all calls together. */
  budgetTokens: z.int().positive().optional(),
  deadlineSeconds: z.int().positive().optional(),
  /** What happens when its automatic retries are used up; the run's own policy when left out. */
  onFailure: failurePolicySchema.optional(),
});

const skillInputSchema = jsonSchemaSchema.refine(({ type }) => type === 'object', 'must have type: object');

/** A skill as it stands in a file: what is usual may be left out. */
export const skillFileSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'must be a name of letters, digits, `_`, `.` and `-`, at most 64'),
  description: text.refine((value) => value.length <= 1024, 'must be at most 1,024 characters'),
  systemPrompt: text,
  task: text.optional(),
  tools: z.array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the name of a tool')),
  input: skillInputSchema.optional(),
  output: outputFormatSchema.optional(),
  slice: sliceSchema.optional(),
  model: modelWishesSchema.optional(),
  limits: limitsSchema.optional(),
});
export type SkillFile = Readonly<z.infer<typeof skillFileSchema>>;

/** A skill with everything said: plain JSON, and what a run pins. */
export const skillDefinitionSchema = skillFileSchema.extend({
  task: text,
  input: skillInputSchema,
  output: outputFormatSchema.nullable(),
  slice: sliceSchema,
  model: modelWishesSchema,
  limits: limitsSchema,
});
export type SkillDefinition = Readonly<z.infer<typeof skillDefinitionSchema>>;

const defaultTask =
  'Do what the SYSTEM section says for the INPUT, on the basis of the CONTEXT. Nobody answers questions: decide, and state what you assumed.';

const defaultInput: JsonSchema = {
  type: 'object',
  properties: { goal: { type: 'string', title: 'User Goal', minLength: 1 } },
  required: ['goal'],
  additionalProperties: false,
};

/** Something wrong with a definition, and the field it is about. */
export interface FieldProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export type ParsedSkill =
  | { readonly ok: true; readonly skill: SkillDefinition }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** Checks a definition and completes it; all problems at once, since a file is corrected in one go. */
export function parseSkill(value: unknown): ParsedSkill {
  const parsed = skillFileSchema.safeParse(value);
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap(problemsOf) };
  return { ok: true, skill: complete(parsed.data) };
}

function complete(file: SkillFile): SkillDefinition {
  return {
    ...file,
    task: file.task ?? defaultTask,
    tools: [...new Set(file.tools)],
    input: file.input ?? defaultInput,
    output: file.output ?? null,
    slice: file.slice ?? [],
    model: file.model ?? {},
    limits: file.limits ?? {},
  };
}

/** An unknown field is reported where it stands, not at the object around it. */
export function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'there is no such field' }));
}

/** The identity of a skill: comments, layout and the order of fields in its file do not count. */
export function skillHash(skill: SkillDefinition): string {
  return jsonDigest(skill);
}
