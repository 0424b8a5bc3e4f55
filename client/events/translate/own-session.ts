import type { ToolExecution, ToolOutcome } from '../../../domain/tool/call';
import type { EventStatus, SessionEventRecord } from '../record';
import { changesOf, recordOf, type Change } from './changes';

interface Pending {
  readonly turn: number;
  readonly execution: ToolExecution;
}

/**
 * What the tools of a turn want changed in a session that belongs to the agent alone. It is applied when all tools of the
 * turn are done, in the order of the calls; how that went shows in what the model is told next.
 */
export class OwnSession {
  private pending = new Map<string, Pending>();

  constructor(private readonly writer: string) {}

  ran(turn: number, execution: ToolExecution): void {
    this.pending.set(execution.outcome.callId, { turn, execution });
  }

  /** The model is told how a call went. */
  told(outcome: ToolOutcome): readonly SessionEventRecord[] {
    const pending = this.pending.get(outcome.callId);
    this.pending.delete(outcome.callId);
    if (pending === undefined) return [];
    const reason = complaintIn(outcome, pending.execution.outcome);
    const changes = changesOf(pending.execution);
    return this.records(pending, changes, statusOf(changes, reason), reason);
  }

  /** The agent ends without having told its model. */
  abandoned(): readonly SessionEventRecord[] {
    const left = [...this.pending.values()];
    this.pending.clear();
    return left.flatMap((pending) => this.records(pending, changesOf(pending.execution), 'wanted', undefined));
  }

  private records(
    { turn }: Pending,
    changes: readonly Change[],
    status: EventStatus,
    reason: string | undefined,
  ): readonly SessionEventRecord[] {
    return changes.map((change) => ({
      ...recordOf({ writer: this.writer, turn }, change, status),
      ...(reason === undefined ? {} : { reason }),
    }));
  }
}

/** A complaint makes any outcome an error, and stands on lines of its own after what the tool said. */
function complaintIn(told: ToolOutcome, own: ToolOutcome): string | undefined {
  const before = `${own.addendum ?? ''}\n`;
  const { addendum = '' } = told;
  return told.isError && addendum.startsWith(before) ? addendum.slice(before.length) : undefined;
}

/** Of several changes together, the record says that some were not made but not always which. */
export function statusOf(changes: readonly Change[], complaint: string | undefined): EventStatus {
  if (complaint === undefined) return 'applied';
  return changes.length === 1 ? 'failed' : 'partly';
}
