import { type ActivityOptions, workflowInfo } from '@temporalio/workflow';
import type { AgentProgress, AgentSettings, RunStatus, Turn } from '../../domain/agent';
import type { PlacedRequest, SessionSchema } from '../../domain/session';
import type { StoreLocation } from '../../domain/store';
import type { ActivityPolicy } from '../../temporal-config/activity-options';
import { taskQueueFor } from '../../temporal-config/task-queues';
import type { Semaphore } from '../delegation/semaphore';
import type { OperatorInbox } from '../operator/operator-inbox';

/** Number of a request to the host of a shared session, and the time of the workflow task that first made it. */
export type RequestPlace = Pick<PlacedRequest, 'seq' | 'at'>;

/** A writer's connection to the host of a shared session. */
export interface SharedSession {
  /** Workflow id of the host. */
  readonly host: string;
  /** Number of requests that this execution has sent. */
  sent: number;
  /** Number and time of the next request, if a turn may have sent it already; null otherwise. */
  reserved: RequestPlace | null;
  /**
   * Whether others may have written since the agent last heard from the host, although it has not worked since. It
   * catches up before it runs its next tools.
   */
  isBehind: boolean;
  /**
   * Resolves when the last request is answered. Requests are sent one at a time, although the calls of a turn run
   * concurrently.
   */
  answered: Promise<unknown>;
}

/** A running agent: its settings, its progress, and the means to report. */
export interface Agent {
  /** Effective settings, including an operator's changes. */
  readonly settings: AgentSettings;
  readonly schema: SessionSchema;
  /** Null for the root. */
  readonly delegationId: string | null;
  readonly depth: number;
  progress: AgentProgress;
  /** Number of model calls before this execution. */
  readonly firstCall: number;
  /** Names of the tools that the last reply of this execution requested. */
  lastTools: readonly string[];
  /** Turns that the last activity took beyond its first one, and that the agent has not taken over yet. */
  ahead: readonly Turn[];
  /** The session that this agent shares with others; null when its session is isolated. */
  readonly shared: SharedSession | null;
  /** Workflow id of the host of its own batches' session, while they run; null otherwise. */
  hosted: string | null;
  /** When its parent was last known to be open, in milliseconds of workflow time. */
  parentSeenAt: number;
  /** Receives operator input and opens incidents. */
  readonly inbox: OperatorInbox;
  /** Admits its delegations, at most `maxParallel` at a time. */
  readonly semaphore: Semaphore;
  /** Publishes the agent's status for queries and the Web UI. Called at every step. */
  report(status: RunStatus, waitingFor: string): void;
}

/** The run and the store that this agent's activities read and write. */
export function storeLocation({ settings, progress }: Agent): StoreLocation {
  return { runId: settings.runId, storeId: progress.opened.storeId };
}

/** Returns the settings that activities receive. The run's id is already in the store location. */
export function settingsInput({ settings }: Agent): Omit<AgentSettings, 'runId'> {
  const { runId: _runId, ...rest } = settings;
  return rest;
}

/** Returns the workflow id of the current agent. */
export function agentWorkflowId(): string {
  return workflowInfo().workflowId;
}

/**
 * Builds the options of one activity: its policy, its task queue, the run's heartbeat timeout and retry interval, and a
 * summary for the Web UI's timeline.
 */
export function activityOptions(
  { kind, ...options }: ActivityPolicy,
  { tuning }: Pick<AgentSettings, 'tuning'>,
  summary: string,
): ActivityOptions {
  const heartbeat = options.heartbeatTimeout === undefined ? undefined : tuning?.heartbeatTimeoutMs;
  const interval = tuning?.retryIntervalMs;
  return {
    ...options,
    taskQueue: taskQueueFor(workflowInfo().taskQueue, kind),
    summary,
    ...(heartbeat === undefined ? {} : { heartbeatTimeout: heartbeat }),
    ...(interval === undefined ? {} : { retry: { initialInterval: interval, maximumInterval: interval } }),
  };
}
