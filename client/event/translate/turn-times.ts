import type { Turn } from '../../../domain/agent';
import type { CompletedActivity } from './step';

/** When the model replied in a turn, and when calls that ran inside it ended, in microseconds since 1970. */
export interface TurnTimes {
  readonly replied: number;
  /** Returns when a call ended that took this many milliseconds. */
  ended(ms: number): number;
}

/**
 * Computes the times of a turn from what it recorded. They are within the activity, even if its last attempt took the
 * reply, or the results of calls, from the journal.
 */
export function turnTimes({ startedAt, endedAt }: CompletedActivity, { ms, ran = [] }: Turn): TurnTimes {
  if (ran.length === 0) return { replied: endedAt, ended: () => endedAt };
  const longest = Math.max(...ran.map((call) => call.ms));
  const replied = Math.max(startedAt, Math.min(startedAt + ms * 1_000, endedAt - longest * 1_000));
  return { replied, ended: (taken) => Math.min(endedAt, replied + taken * 1_000) };
}
