import type { SessionEvent } from '../../../domain/tool';
import type { EventStatus, SessionEventRecord } from '../record';
import type { PendingOutcome } from '../../../domain/agent';
import type { ToolResult } from '../../../domain/tool';

/** A finished tool call. */
type Ran = Omit<ToolResult, 'outcome'> & { readonly outcome: PendingOutcome };

interface Pending {
  readonly turn: number;
  readonly execution: Ran;
}

/**
 * Translates the session changes that tools request in an isolated session. They are applied when all tools of the turn
 * have ended, in the order of the calls. Whether that worked shows only in the outcomes that the model receives next.
 */
export class IsolatedSessionEvents {
  private pending = new Map<string, Pending>();

  constructor(private readonly writer: string) {}

  /** Notes a finished tool call. */
  ran(turn: number, execution: Ran): void {
    this.pending.set(execution.outcome.callId, { turn, execution });
  }

  /** Returns the records of a call, whose final outcome is sent to the model now. */
  told(outcome: PendingOutcome): readonly SessionEventRecord[] {
    const pending = this.pending.get(outcome.callId);
    this.pending.delete(outcome.callId);
    if (pending === undefined) return [];
    const reason = complaintIn(outcome, pending.execution.outcome);
    const changes = changesOf(pending.execution);
    return this.records(pending, changes, changeStatus(changes, reason), reason);
  }

  /** Returns the records of calls whose outcome never reached the model, because the agent ended. */
  abandoned(): readonly SessionEventRecord[] {
    const remaining = [...this.pending.values()];
    this.pending.clear();
    return remaining.flatMap((pending) => this.records(pending, changesOf(pending.execution), 'wanted', undefined));
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

/** A complaint turns any outcome into an error and is added on new lines after the tool's own addendum. */
function complaintIn(sent: PendingOutcome, own: PendingOutcome): string | undefined {
  if ('stored' in sent) return sent.verdict?.complaint;
  const before = `${'addendum' in own ? (own.addendum ?? '') : ''}\n`;
  const { addendum = '' } = sent;
  return sent.isError && addendum.startsWith(before) ? addendum.slice(before.length) : undefined;
}

/** If a call with several changes has a complaint, history shows that some were not made, but not always which. */
export function changeStatus(changes: readonly Change[], complaint: string | undefined): EventStatus {
  if (complaint === undefined) return 'applied';
  return changes.length === 1 ? 'failed' : 'partly';
}

/** A change of session state that an event is recorded for. */
export type Change = SessionEvent;

/** Returns all changes that a tool requested. File changes are session events too, and come first. */
export function changesOf({ changes, events }: Pick<ToolResult, 'changes' | 'events'>): readonly Change[] {
  return [...changes.map(toEvent), ...events];
}

function toEvent(change: ToolResult['changes'][number]): Change {
  const { path, expectedHash, newHash, bytes, mediaType, executable } = change;
  const value = {
    path,
    expectedHash,
    newHash,
    bytes,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(executable === undefined ? {} : { executable }),
  };
  return { type: 'fileChanged', value };
}

/** Creates the record of a session event. */
export function recordOf(
  { writer, turn }: { readonly writer: string; readonly turn: number },
  { type, value }: Change,
  status: EventStatus,
): SessionEventRecord {
  return { kind: 'session.event', writer, turn, type, value, status };
}
