import { z } from 'zod';
import { spendingSchema } from '../budget';
import {
  activityContract,
  checkedFields,
  firstIssue,
  InvalidInputError,
  uncheckedList,
  uncheckedObject,
  utf8,
  workflowContract,
} from '../kernel';
import { usageSchema } from '../model';
import { operatorStateSchema } from '../operator';
import { blobRefSchema, spilledTextSchema } from '../store';
import { agentSettingsSchema } from './agent-settings';
import { type AgentProgress, openedAgentSchema } from './progress';

/** Maximum bytes of a goal in UTF-8. */
const maxGoalBytes = 16 * 1024;
/** Maximum bytes of all defaults together, as JSON. */
const maxDefaultsBytes = 8 * 1024;

/** Input of the root workflow. It has no defaults, so that history records every setting explicitly. */
export const runInputSchema = agentSettingsSchema.extend({
  goal: z
    .string()
    .refine((goal) => goal.trim() !== '', 'must not be empty')
    .refine((goal) => new TextEncoder().encode(goal).length <= maxGoalBytes, `must be at most ${maxGoalBytes} bytes`),
  /** Folder that is imported when the run starts; a path on the worker's machine. */
  workspace: z.strictObject({ root: z.string().min(1).max(4096) }).optional(),
  /** Values for parameters of the prompts that agents may dispatch, by prompt (`ns/key`) and name of the parameter. */
  promptDefaults: z
    .record(z.string(), z.record(z.string(), z.string()))
    .refine((all) => utf8(JSON.stringify(all)).length <= maxDefaultsBytes, `must be at most ${maxDefaultsBytes} bytes`)
    .optional(),
});
/** Complete input of a run, without defaults. `parseRunInput` checks it. */
export type RunInput = z.infer<typeof runInputSchema>;

/** Validates a run's input. Throws an `InvalidInputError` for the first invalid field. */
export function parseRunInput(value: unknown): RunInput {
  const parsed = runInputSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error);
  throw new InvalidInputError(field, reason, 'Correct this value and start the run again.');
}

export const openRunActivity = activityContract('openRun', {
  description:
    "Checks a run's input, renders its root prompt, pins tools, prompts and skills, and begins the transcript.",
  input: runInputSchema,
  result: openedAgentSchema,
});

/**
 * The fields of an agent's progress that its status and its session are read from. The rest is not checked: the progress
 * contains the whole session, and only an earlier execution of the same agent writes it.
 */
const progressFieldsSchema = z.object({
  opened: openedAgentSchema,
  head: blobRefSchema,
  calls: z.int().nonnegative(),
  ledger: z.object({ own: spendingSchema, delegated: spendingSchema }),
  delegations: z.int().nonnegative(),
  session: z.object({ version: z.int().nonnegative(), slices: uncheckedObject() }),
  workspace: uncheckedObject().nullable(),
  changes: uncheckedObject(),
  handoffs: uncheckedList(),
});

/** State that an agent passes to its next execution with continue-as-new. */
export const resumedAgentSchema = z.object({
  progress: checkedFields<AgentProgress>(progressFieldsSchema),
  desk: operatorStateSchema,
});
export type ResumedAgent = Readonly<z.infer<typeof resumedAgentSchema>>;

/** A run's input and, after continue-as-new, the progress of its root agent. */
const runStartSchema = runInputSchema.extend({ resume: resumedAgentSchema.exactOptional() });
export type RunStart = Readonly<z.infer<typeof runStartSchema>>;

export const runResultSchema = z.object({
  answer: spilledTextSchema,
  /** Canonical JSON of the parsed answer, if the answer had to have a structure. */
  value: spilledTextSchema.exactOptional(),
  /** Number of model calls of the root agent. */
  turns: z.int().nonnegative(),
  /** Tokens used by the root agent itself. */
  usage: usageSchema,
  /** Tokens used by its delegations. */
  delegatedUsage: usageSchema,
  /** Total cost including delegations, in millionths of a US dollar; 0 when no price is known. */
  microUsd: z.int().nonnegative(),
  /** Head of the transcript. Its hash covers every byte that the model received and returned. */
  transcript: blobRefSchema,
});
/** Result of a completed run. */
export type RunResult = Readonly<z.infer<typeof runResultSchema>>;

export const runWorkflowContract = workflowContract('runWorkflow', {
  description: 'the root agent of a run',
  workflowId: 'run/<id>',
  input: runStartSchema,
  result: runResultSchema,
});

/** Memo of the root workflow of a run or a relay. Lists of runs show it. */
const rootMemoSchema = z.object({
  /** First line of the goal, truncated. */
  goal: z.string(),
  /** Folder that is imported when the run starts; omitted when there is none. */
  workspace: z.string().exactOptional(),
  /** Name of the relay; omitted for a run. */
  relay: z.string().exactOptional(),
});
export type RootMemo = Readonly<z.infer<typeof rootMemoSchema>>;

/** Reads the memo of a root workflow. Fields that it does not have, or not as text, are omitted. */
export function readRootMemo(memo: Readonly<Record<string, unknown>> | undefined): Partial<RootMemo> {
  const texts = Object.keys(rootMemoSchema.shape).flatMap((name) => {
    const value = memo?.[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** Details of the failure that closes an agent. */
export const agentFailureDetailsSchema = z.object({
  /** Number of the agent's model calls. */
  turns: z.int().nonnegative(),
  /** Spending of the agent and its delegations together; null when the agent never began. */
  spent: spendingSchema.nullable(),
  /** Head of the transcript; null when the agent never began. */
  transcript: blobRefSchema.nullable(),
});
export type AgentFailureDetails = Readonly<z.infer<typeof agentFailureDetailsSchema>>;
