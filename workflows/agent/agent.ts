import { type ActivityOptions, workflowInfo } from '@temporalio/workflow';
import type {
  AgentProgress,
  AgentSettings,
  AgentState,
  RelayStatus,
  RunStatus,
  Turn,
  TurnFailure,
} from '../../domain/agent';
import type { Spending } from '../../domain/budget';
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
  /**
   * Its progress before each turn of this execution, oldest first, for runs that continue from one of them. They share
   * what did not change. Null for a delegation.
   */
  readonly turnStarts: AgentState[] | null;
  /** Number of model calls before this execution. */
  readonly firstCall: number;
  /** Names of the tools that the last reply of this execution requested. */
  lastTools: readonly string[];
  /** Turns that the last activity took beyond its first one, and that the agent has not taken over yet. */
  ahead: readonly Turn[];
  /** Failure of the turn after those; undefined when it did not fail, or when that was reported. */
  failedAhead: TurnFailure | undefined;
  /** The session that this agent shares with others; null when its session is isolated. */
  readonly shared: SharedSession | null;
  /** Workflow id of the host of its own batches' session, while they run; null otherwise. */
  hosted: string | null;
  /** When its parent was last known to be open, in milliseconds of workflow time. */
  parentSeenAt: number;
  /** Receives operator input and opens incidents. */
  readonly inbox: OperatorInbox;
  /** Returns the progress of the relay whose root this is; undefined for any other agent. */
  relay: (() => RelayStatus) | undefined;
  /** Whether a delegation ended without reporting what it had spent, and nobody has looked that up. */
  hasUnreported: boolean;
  /** Looks up what delegations have spent that ended without reporting it. */
  readonly unreported: { of(agent: Agent, delegationId: string): Promise<Spending | undefined> };
  /** Admits its delegations, at most `maxParallel` at a time. */
  readonly semaphore: Semaphore;
  /** Publishes the agent's status for queries and the Web UI. Called at every step. */
  report(status: RunStatus, waitingFor: string): void;
}

/** Maximum turns that an execution remembers. */
const maxTurnStarts = 1_000;

/** Remembers what the agent is like before its next turn. */
export function keepTurnStart({ turnStarts, settings, progress }: Agent): void {
  if (turnStarts === null) return;
  turnStarts.push({ model: settings.model, progress });
  if (turnStarts.length > maxTurnStarts) turnStarts.shift();
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
