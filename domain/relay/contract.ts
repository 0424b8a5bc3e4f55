import { z } from 'zod';
import {
  agentSettingsSchema,
  goalSchema,
  openedRootSchema,
  promptDefaultsSchema,
  tenantSchema,
  requestedSettingsSchema,
  resumedAgentSchema,
  runResultSchema,
  workspaceFolderSchema,
} from '../agent';
import {
  checkValue,
  activityContract,
  definitionFields,
  firstIssue,
  formatFieldPath,
  type InputOf,
  InvalidInputError,
  uncheckedObject,
  workflowContract,
} from '../kernel';
import { mcpGrantsSchema } from '../mcp';
import { blobRefSchema, spilledTextSchema, storeLocationSchema } from '../store';
import { parseRelay } from './check-relay';
import { type RelayDefinition, relaySchema } from './relay-definition';
import { type RelayState, selectedValuesSchema } from './state';

/** What a relay needs in addition to settings and its definition. */
const relayFields = {
  goal: goalSchema,
  workspace: workspaceFolderSchema.optional(),
  promptDefaults: promptDefaultsSchema.optional(),
  /** MCP servers and tools that the skills of the steps may choose from, in addition to their own. */
  mcp: mcpGrantsSchema.optional(),
  tenant: tenantSchema.optional(),
};

/** A definition, or the name of a relay that the worker has. */
const relayOrNameSchema = z.custom<RelayDefinition | string>().superRefine((relay, context) => {
  const { error } = checkValue(typeof relay === 'string' ? definitionFields.name : relaySchema, relay);
  for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
});

/** Input of a relay as a client may send it. What is omitted gets its default when the relay is opened. */
export const relayRequestSchema = requestedSettingsSchema.extend({ ...relayFields, relay: relayOrNameSchema });

/** The complete input contains the whole definition, so that later changes of its file have no effect. */
const relayInputSchema = agentSettingsSchema.extend({ ...relayFields, relay: relaySchema });
/** Complete input of a relay: settings, goal, folder, and the relay's definition. `parseRelayInput` checks it. */
export type RelayInput = z.infer<typeof relayInputSchema>;

/** Checks a relay's complete input. Throws an `InvalidInputError` that names the first invalid field. */
export function parseRelayInput(value: unknown): RelayInput {
  return parsedRelay(relayInputSchema, value);
}

/** Checks a relay's input, which may lack what has a default. Throws like `parseRelayInput`. */
export function parseOpenRelay(value: unknown): OpenRelayInput {
  return parsedRelay(openRelayInputSchema, value);
}

function parsedRelay<Schema extends z.ZodType<{ readonly relay: RelayDefinition | string }>>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = checkValue(schema, value);
  if (!parsed.success) {
    const { path, reason } = firstIssue(parsed.error);
    throw wrong(formatFieldPath(path) || 'input', reason);
  }
  if (typeof parsed.data.relay === 'string') return parsed.data;
  const relay = parseRelay(parsed.data.relay);
  if (relay.ok) return parsed.data;
  const problem = relay.problems[0];
  throw wrong(formatFieldPath(['relay', ...(problem?.path ?? [])]), problem?.message ?? 'is invalid');
}

function wrong(field: string, reason: string): InvalidInputError {
  return new InvalidInputError(field, reason, 'Correct this field and start the relay again.');
}

const openRelayInputSchema = relayRequestSchema.extend({ runId: agentSettingsSchema.shape.runId });
export type OpenRelayInput = z.infer<typeof openRelayInputSchema>;

export const openRelayActivity = activityContract('openRelay', {
  description: "Opens the root of a relay like `openRun`, and checks the relay's steps against the worker's skills.",
  input: openRelayInputSchema,
  result: openedRootSchema.extend({
    /** The definition, if the input only names it. */
    relay: uncheckedObject<RelayDefinition>().exactOptional(),
  }),
});

export const pickOutputActivity = activityContract('pickOutput', {
  description: "Selects the values that a relay uses from a step's final message.",
  input: storeLocationSchema.extend({
    text: spilledTextSchema,
    /** The output format of the step's skill; null for free text. */
    format: blobRefSchema.nullable(),
    paths: z.array(z.string()).readonly(),
  }),
  result: selectedValuesSchema,
});
export type PickOutputInput = InputOf<typeof pickOutputActivity>;

const stepValuesSchema = z.array(selectedValuesSchema).readonly();

export const storeOutputActivity = activityContract('storeOutput', {
  description: "Stores the values of a relay's step that are too large for the relay's own state.",
  input: storeLocationSchema.extend({ values: stepValuesSchema }),
  result: blobRefSchema,
});

export const loadOutputActivity = activityContract('loadOutput', {
  description: 'Loads values that `storeOutput` stored, for a later step that refers to them.',
  input: storeLocationSchema.extend({ ref: blobRefSchema }),
  result: stepValuesSchema,
});

/** Progress of a relay, apart from the session of its root. */
const relayProgressSchema = z.object({
  state: uncheckedObject<RelayState>(),
  /** Final message of the last item that ended. */
  answer: spilledTextSchema,
});
export type RelayProgress = z.infer<typeof relayProgressSchema>;

/** A relay's input and, after continue-as-new, its progress. */
const relayStartSchema = relayRequestSchema.extend({
  resume: resumedAgentSchema.exactOptional(),
  reached: relayProgressSchema.exactOptional(),
});
export type RelayStart = Readonly<z.infer<typeof relayStartSchema>>;

const relayResultSchema = runResultSchema.extend({
  relay: z.string(),
  /** For each step, the number of rounds and the number of items in the last round. */
  steps: z
    .array(z.object({ name: z.string(), rounds: z.int().nonnegative(), items: z.int().nonnegative() }))
    .readonly(),
});
/** Result of a completed relay. Its answer is the final message of the last step. */
export type RelayResult = Readonly<z.infer<typeof relayResultSchema>>;

export const relayWorkflowContract = workflowContract('relayWorkflow', {
  description: 'a relay: a chain of skills, each step a delegation below it',
  workflowId: 'run/<id>',
  input: relayStartSchema,
  result: relayResultSchema,
});
