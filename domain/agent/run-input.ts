import { z } from 'zod';
import { checkValue, firstIssue, InvalidInputError, type Json, uncheckedJson } from '../kernel';
import { mcpGrantsSchema } from '../mcp';
import { blobRefSchema } from '../store';
import { agentSettingsSchema, requestedSettingsSchema } from './agent-settings';

/** Maximum bytes of a goal in UTF-8. */
const maxGoalBytes = 16 * 1024;
/** Maximum bytes of all values for a root's prompt or skill, as JSON. With the goal, they fit into one activity's input. */
const maxValueBytes = 12 * 1024;

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

export const goalSchema = z
  .string()
  .refine((goal) => goal.trim() !== '', 'must not be empty')
  .refine((goal) => bytesOf(goal) <= maxGoalBytes, `must be at most ${maxGoalBytes} bytes`);

/** Folder that is imported when a run starts; a path on the worker's machine. */
export const workspaceFolderSchema = z.strictObject({ root: z.string().min(1).max(4096) });

function values<Value extends z.ZodType>(value: Value) {
  return z
    .record(z.string(), value)
    .refine(
      (given) => bytesOf(JSON.stringify(given)) <= maxValueBytes,
      `must be at most ${maxValueBytes} bytes as JSON; put longer texts into a file of the workspace`,
    );
}

const name = z.string().min(1).max(100);

/** A prompt that the worker has registered, as the whole prompt of the root agent. */
const rootPromptSchema = z.strictObject({
  ns: name,
  key: name,
  /** Values of the prompt's parameters. A parameter `goal` gets the run's goal. */
  parameters: values(z.string()).optional(),
});

/** A skill of the worker, which the root agent has. */
const rootSkillSchema = z.strictObject({
  name,
  /** Input of the skill, checked against its schema. A field `goal` gets the run's goal. */
  input: values<z.ZodType<Json>>(uncheckedJson).optional(),
});

/** Maximum bytes of all defaults together, as JSON. */
const maxDefaultsBytes = 8 * 1024;

/** Values for parameters of the prompts that agents may dispatch, by prompt (`ns/key`) and name of the parameter. */
export const promptDefaultsSchema = z
  .record(z.string(), z.record(z.string(), z.string()))
  .refine((all) => bytesOf(JSON.stringify(all)) <= maxDefaultsBytes, `must be at most ${maxDefaultsBytes} bytes`);

/** The turn of another run that a run continues from. */
export const continuesSchema = z.strictObject({
  runId: z.string().min(1).max(500),
  /** Turn that the model is asked for first. What happened before it is taken over, and not paid for again. */
  turn: z.int().positive(),
});
export type Continues = Readonly<z.infer<typeof continuesSchema>>;

/** Name of whoever a run works for. Workers share their work evenly between tenants. It is a fairness key of Temporal. */
export const tenantSchema = z
  .string()
  .regex(/^[\w.:@/-]{1,64}$/, 'must be letters, digits and . _ / : @ -, at most 64 characters');

const rootFields = {
  goal: goalSchema.optional(),
  workspace: workspaceFolderSchema.optional(),
  promptDefaults: promptDefaultsSchema.optional(),
  prompt: rootPromptSchema.optional(),
  skill: rootSkillSchema.optional(),
  /** MCP servers and tools that the root agent may use, in addition to those of its prompt or skill. */
  mcp: mcpGrantsSchema.optional(),
  continues: continuesSchema.optional(),
  tenant: tenantSchema.optional(),
};

/** What the root agent of a run works on: a goal, a registered prompt or a skill. */
interface RootWork {
  readonly goal?: string | undefined;
  readonly prompt?: unknown;
  readonly skill?: unknown;
}

/** Rejects an input that says nothing about the root agent's work, or two things. */
export function checkRootWork({ goal, prompt, skill }: RootWork, context: z.RefinementCtx): void {
  if (prompt !== undefined && skill !== undefined)
    context.addIssue({ code: 'custom', path: ['skill'], message: 'a run has a prompt or a skill, not both' });
  if (goal === undefined && prompt === undefined && skill === undefined)
    context.addIssue({ code: 'custom', path: ['goal'], message: 'is required unless there is a prompt or a skill' });
}

/** Fields of a run's input as a client may send it. What is omitted gets its default when the run is opened. */
export const runRequestFields = requestedSettingsSchema.extend(rootFields);

/** Input of a run as a client may send it: only the goal, or a prompt or a skill, is required. */
export const runRequestSchema = runRequestFields.superRefine(checkRootWork);
export type RunRequest = z.infer<typeof runRequestSchema>;

/** Input of `openRun`: that of the run, and what its workflow adds. */
export const openRunInputSchema = runRequestFields
  .extend({
    runId: agentSettingsSchema.shape.runId,
    /** The imported folder, for a skill that injects files of it into its prompt. */
    tree: blobRefSchema.exactOptional(),
  })
  .superRefine(checkRootWork);
export type OpenRunInput = z.infer<typeof openRunInputSchema>;

const runInputSchema = agentSettingsSchema.extend(rootFields).superRefine(checkRootWork);
/** Complete input of a run, without defaults. `parseRunInput` checks it. */
export type RunInput = z.infer<typeof runInputSchema>;

/** Validates a complete input of a run. Throws an `InvalidInputError` for the first invalid field. */
export function parseRunInput(value: unknown): RunInput {
  return parsed(runInputSchema, value);
}

/** Validates the input of `openRun`, which may lack what has a default. Throws like `parseRunInput`. */
export function parseOpenRun(value: unknown): OpenRunInput {
  return parsed(openRunInputSchema, value);
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = checkValue(schema, value);
  if (result.success) return result.data;
  const { field, reason } = firstIssue(result.error);
  throw new InvalidInputError(field, reason, 'Correct this value and start the run again.');
}
