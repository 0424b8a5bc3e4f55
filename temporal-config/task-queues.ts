/**
 * Kinds of work that have their own task queue and their own slots in a worker, so that none can keep the others from
 * running. Reasons: docs/decisions/worker-slots.md.
 */
export type WorkKind = 'model' | 'tool' | 'control';

const suffixes: Readonly<Record<WorkKind, string>> = {
  // Model calls share the queue of the workflows: the SDK then starts them without a round trip to the server.
  model: '',
  tool: '-tools',
  control: '-control',
};

/** Returns the task queue of one kind of work, given the task queue of the workflows. */
export function taskQueueFor(workflows: string, kind: WorkKind): string {
  return `${workflows}${suffixes[kind]}`;
}

/**
 * Returns the task queue of the turns of models that have a limit, given the task queue of the workflows. The server limits
 * how fast the workers together take tasks from it. `pattern` is that of the limit.
 */
export function limitedTaskQueue(workflows: string, pattern: string): string {
  return `${workflows}-models-${pattern}`;
}

/** Returns the pattern of the limit that a task queue belongs to; undefined for any other queue. */
export function patternOfQueue(workflows: string, taskQueue: string): string | undefined {
  const prefix = limitedTaskQueue(workflows, '');
  return taskQueue.startsWith(prefix) ? taskQueue.slice(prefix.length) : undefined;
}

/** Activities that are not control work. */
const kinds: Readonly<Record<string, WorkKind>> = { runTurn: 'model', executeTool: 'tool' };

/** Returns which kind of work an activity is, by its name. */
export function kindOfActivity(name: string): WorkKind {
  return kinds[name] ?? 'control';
}

/** How much one worker does at the same time. */
export interface WorkerSlots {
  /** Model calls. Each waits for the provider, so it needs memory rather than a processor. */
  readonly model: number;
  /** Tool calls. */
  readonly tool: number;
  /** Everything else: opening runs, composing prompts, changing shared sessions, importing folders. */
  readonly control: number;
  /** Decisions of workflows. Each takes some milliseconds of a processor. At least 2. */
  readonly workflow: number;
}

export const defaultSlots: WorkerSlots = { model: 100, tool: 100, control: 100, workflow: 40 };

/** Settings that raise the number of slots. */
export const slotSettings: Readonly<Record<keyof WorkerSlots, string>> = {
  model: 'BATON_MODEL_SLOTS',
  tool: 'BATON_TOOL_SLOTS',
  control: 'BATON_CONTROL_SLOTS',
  workflow: 'BATON_WORKFLOW_SLOTS',
};

/** What a worker does: decisions of agents, turns with models, tools, and everything else. */
export const workerRoles = ['agents', 'models', 'tools', 'control'] as const;
export type WorkerRole = (typeof workerRoles)[number];

/** How many requests for tasks a worker keeps open at a time. More of them start many tasks faster. */
export interface WorkerPollers {
  /** For workflow tasks. Default: the SDK's, 10. */
  readonly workflow?: number | undefined;
  /** For activities, on each task queue. Default: the SDK's, 10. */
  readonly activity?: number | undefined;
}
