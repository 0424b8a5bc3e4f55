import { z } from 'zod';
import { allowanceSchema, figuresSchema, spendingSchema } from '../budget';
import {
  checkValue,
  activityContract,
  checkedFields,
  truncateText,
  uncheckedList,
  uncheckedObject,
  workflowContract,
} from '../kernel';
import { fallbackRecordSchema, usageSchema } from '../model';
import { operatorStateSchema } from '../operator';
import { blobRefSchema, spilledTextSchema } from '../store';
import { agentSettingsSchema } from './agent-settings';
import { pendingOutcomeSchema } from './pending-outcome';
import { type AgentProgress, openedAgentSchema } from './progress';
import { checkRootWork, openRunInputSchema, type RunRequest, runRequestFields } from './run-input';

/** The opened root of a run or a relay, and the settings in force. */
export const openedRootSchema = openedAgentSchema.extend({
  /** Omitted when they are those of the input. */
  settings: agentSettingsSchema.exactOptional(),
  /** Time that the root's skill allows, in seconds. */
  deadlineSeconds: z.int().positive().exactOptional(),
});
export type OpenedRoot = Readonly<z.infer<typeof openedRootSchema>>;

export const openRunActivity = activityContract('openRun', {
  description:
    "Checks a run's input, applies the defaults, renders its root prompt, pins tools, prompts and skills, and begins the transcript.",
  input: openRunInputSchema,
  result: openedRootSchema,
});

export const checkRunActivity = activityContract('checkRun', {
  description: "Checks a run's input against the skills of the worker, before its folder is imported for the skill.",
  input: openRunInputSchema,
  /** The store into which the folder is imported. */
  result: z.object({ storeId: z.string() }),
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
  outcomes: z.array(pendingOutcomeSchema),
  changes: uncheckedObject(),
  handoffs: uncheckedList(),
  fallbacks: z.array(fallbackRecordSchema).exactOptional(),
});

/** State that an agent passes to its next execution with continue-as-new. */
export const resumedAgentSchema = z.object({
  progress: checkedFields<AgentProgress>(progressFieldsSchema),
  desk: operatorStateSchema,
});
export type ResumedAgent = Readonly<z.infer<typeof resumedAgentSchema>>;

/** A run's input and, after continue-as-new, the progress of its root agent. */
const runStartSchema = runRequestFields
  .extend({ resume: resumedAgentSchema.exactOptional() })
  .superRefine(checkRootWork);
export type RunStart = Readonly<z.infer<typeof runStartSchema>>;

export const runResultSchema = z.object({
  answer: spilledTextSchema,
  /** Canonical JSON of the parsed answer, if the answer had to have a structure. */
  value: spilledTextSchema.exactOptional(),
  /** Number of model calls of the root agent, without those of a run that it continues from. */
  turns: z.int().nonnegative(),
  /** Tokens used by the root agent itself. */
  usage: usageSchema,
  /** Tokens used by its delegations. */
  delegatedUsage: usageSchema,
  /** Total cost including delegations, in millionths of a US dollar; null when a model has no known price. */
  microUsd: z.int().nonnegative().nullable(),
  /** What the root agent itself consumed. */
  own: figuresSchema,
  /** What the root agent and everything below it consumed, in whatever way the delegations ended. */
  withDelegations: figuresSchema,
  /** The budget that `withDelegations` counts against; omitted when there is none. */
  budget: allowanceSchema.exactOptional(),
  /** Head of the transcript. Its hash covers every byte that the model received and returned. */
  transcript: blobRefSchema,
  /** Models of the root agent that another one replaced; omitted when there are none. */
  fallbacks: z.array(fallbackRecordSchema).readonly().exactOptional(),
  /** Name of the operator who skipped the rest of the work and supplied the answer, or an empty text; else omitted. */
  skippedBy: z.string().exactOptional(),
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
  /** First line of the goal, truncated; empty when there is none. */
  goal: z.string(),
  /** Folder that is imported when the run starts; omitted when there is none. */
  workspace: z.string().exactOptional(),
  /** Name of the relay; omitted for a run. */
  relay: z.string().exactOptional(),
  /** Namespace and key of the root's prompt, such as `acme/reviewer`; omitted when it is Baton's own. */
  prompt: z.string().exactOptional(),
  /** Name of the root's skill; omitted when it has none. */
  skill: z.string().exactOptional(),
});
export type RootMemo = Readonly<z.infer<typeof rootMemoSchema>>;

const maxGoalCharacters = 200;

/** Returns the memo of a root with this input. `relay` is the name of its relay. */
export function rootMemo(input: RootInput, relay?: string): RootMemo {
  const { workspace, prompt, skill } = input;
  return {
    goal: truncateText(goalOf(input).trim().split('\n', 1)[0] ?? '', maxGoalCharacters),
    ...(relay === undefined ? {} : { relay }),
    ...(prompt === undefined ? {} : { prompt: `${prompt.ns}/${prompt.key}` }),
    ...(skill === undefined ? {} : { skill: skill.name }),
    ...(workspace === undefined ? {} : { workspace: workspace.root }),
  };
}

type RootInput = Pick<RunRequest, 'goal' | 'workspace' | 'prompt' | 'skill'>;

/** Returns the goal of a run, also if it is only part of the input of its skill or prompt; empty when there is none. */
export function goalOf({ goal, prompt, skill }: RootInput): string {
  const given = goal ?? skill?.input?.['goal'] ?? prompt?.parameters?.['goal'];
  return typeof given === 'string' ? given : '';
}

/** Returns a root's description in one line: what it is, unless it is Baton's own agent, and its goal. */
export function rootTitle({ relay, prompt, skill, goal = '' }: Partial<RootMemo>): string {
  return [skill ?? prompt ?? relay ?? '', goal].filter((part) => part !== '').join(': ');
}

/** The goal of a run that is encrypted with a key which is not here. */
const unreadableGoal = '(encrypted with a key that is not here)';

/**
 * Reads the memo of a root workflow. Fields that it does not have, or not as text, are omitted. In lists, what can't be read
 * is null.
 */
export function readRootMemo(memo: Readonly<Record<string, unknown>> | undefined): Partial<RootMemo> {
  const texts = Object.keys(rootMemoSchema.shape).flatMap((name) => {
    const value = name === 'goal' && memo?.[name] === null ? unreadableGoal : memo?.[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(texts);
}

const startMemoSchema = z.object({ startedAt: z.string() });

/** Returns the memo of an execution that continues another: when the first one of the agent started, ISO 8601. */
export function startMemo(
  memo: Readonly<Record<string, unknown>> | undefined,
  startedAt: string,
): z.infer<typeof startMemoSchema> {
  return { startedAt: readStartMemo(memo) ?? startedAt };
}

/** Reads when the first execution of an agent started; undefined in the memo of the first one itself. */
export function readStartMemo(memo: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return checkValue(startMemoSchema, memo).data?.startedAt;
}

/** Details of the failure that closes an agent. */
export const agentFailureDetailsSchema = z.object({
  /** Number of the agent's model calls. */
  turns: z.int().nonnegative(),
  /** Spending of the agent and its delegations together; null when the agent never began. */
  spent: spendingSchema.nullable(),
  /** Spending of the agent itself; omitted when it had no delegations. */
  own: spendingSchema.exactOptional(),
  /** Head of the transcript; null when the agent never began. */
  transcript: blobRefSchema.nullable(),
  /** Models of the agent that another one replaced; omitted when there are none. */
  fallbacks: z.array(fallbackRecordSchema).readonly().exactOptional(),
});
export type AgentFailureDetails = Readonly<z.infer<typeof agentFailureDetailsSchema>>;
