import type { Turn } from '../../../domain/agent';
import type { CompletedActivity } from './step';

/** When a turn began, the model replied, and calls that ran inside it ended, in microseconds since 1970. */
export interface TurnTimes {
  /** When the model was called. */
  readonly began: number;
  readonly replied: number;
  /** When the turn was over. */
  readonly over: number;
  /** Returns when a call ended that took this many milliseconds. */
  ended(ms: number): number;
}

type Period = Pick<CompletedActivity, 'startedAt' | 'endedAt'>;

/**
 * Computes the times of a turn from what it recorded. They are within the activity, even if its last attempt took the
 * reply, or the results of calls, from the journal.
 */
export function turnTimes({ startedAt, endedAt }: Period, { ms, ran = [] }: Turn): TurnTimes {
  const replied =
    ran.length === 0 ? endedAt : Math.max(startedAt, Math.min(startedAt + ms * 1_000, endedAt - longestOf(ran)));
  // The reply may come from the journal, so that the model took longer than the attempt.
  const began = Math.max(startedAt, replied - ms * 1_000);
  return { began, replied, over: endedAt, ended: (taken) => Math.min(endedAt, replied + taken * 1_000) };
}

/** Computes the times of turns that one activity took, one after the other. */
export function timesOfTurns({ startedAt, endedAt }: Period, turns: readonly Turn[]): readonly TurnTimes[] {
  let from = startedAt;
  return turns.map((turn, index) => {
    const length = turn.ms * 1_000 + longestOf(turn.ran);
    const until = index === turns.length - 1 ? endedAt : Math.min(endedAt, from + length);
    const times = turnTimes({ startedAt: from, endedAt: until }, turn);
    from = until;
    return times;
  });
}

/** Time of the call that took longest, in microseconds. */
function longestOf(ran: Turn['ran'] = []): number {
  return Math.max(0, ...ran.map(({ ms }) => ms)) * 1_000;
}
