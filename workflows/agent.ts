import { workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { StoreLocation } from '../activities/interface';
import type { AgentSettings } from '../domain/agent/settings';
import type { AgentProgress, DeskState } from '../domain/run/progress';
import type { RunStatus } from '../domain/run/result';
import type { SessionSchema } from '../domain/session';
import type { OperatorDesk } from './operator-desk';

export interface SharedSession {
  readonly host: string;
  /** Requests sent by this execution. */
  sent: number;
  /** Settles when the last of them is answered: they go one after the other, though calls of one turn run side by side. */
  answered: Promise<unknown>;
}

/** An agent at work: what it was given, how far it is, and whom it tells. */
export interface Agent {
  /** As they are in force now: an operator may have changed some. */
  readonly settings: AgentSettings;
  readonly schema: SessionSchema;
  /** Null for the root. */
  readonly delegationId: string | null;
  readonly depth: number;
  progress: AgentProgress;
  /** The host of the session that this agent shares with others; null when the session is its own. */
  readonly shared: SharedSession | null;
  /** Where operators are heard, and asked. */
  readonly desk: OperatorDesk;
  /** Called at every step, so that queries and the Web UI show where the agent stands. */
  report(status: RunStatus, waitingFor: string): void;
  /** Goes on in a new execution with the same progress. Never returns. */
  startOver(): Promise<never>;
}

/** What an agent takes along into its next execution. */
export interface Resumed {
  readonly progress: AgentProgress;
  readonly desk: DeskState;
}

export function locationOf({ settings, progress }: Agent): StoreLocation {
  return { runId: settings.runId, storeId: progress.opened.storeId };
}

/** Workflow id of the agent. */
export function agentId(): string {
  return workflowInfo().workflowId;
}

/** The options of one activity: its policy, the run's own heartbeat timeout, and a line for the Web UI's timeline. */
export function withTuning(options: ActivityOptions, { tuning }: AgentSettings, summary: string): ActivityOptions {
  const heartbeat = options.heartbeatTimeout === undefined ? undefined : tuning?.heartbeatTimeoutMs;
  return { ...options, summary, ...(heartbeat === undefined ? {} : { heartbeatTimeout: heartbeat }) };
}
