import type { ActivityOptions } from '@temporalio/common';
import type { RunInput } from '../domain/run/input';
import type { AgentProgress } from '../domain/run/progress';
import type { RunStatus } from '../domain/run/result';

/** An agent at work: what it was given, how far it is, and whom it tells. */
export interface Agent {
  readonly input: RunInput;
  progress: AgentProgress;
  /** Called at every step, so that queries and the Web UI show where the agent stands. */
  report(status: RunStatus, waitingFor: string): void;
  /** Goes on in a new execution with the same progress. Never returns. */
  startOver(): Promise<never>;
}

/** The options of one activity: its policy, the run's own heartbeat timeout, and a line for the Web UI's timeline. */
export function withTuning(options: ActivityOptions, input: RunInput, summary: string): ActivityOptions {
  const heartbeat = input.tuning?.heartbeatTimeoutMs;
  return { ...options, summary, ...(heartbeat === undefined ? {} : { heartbeatTimeout: heartbeat }) };
}
