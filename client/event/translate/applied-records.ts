import type { ChangeVerdict } from '../../../domain/session/turn';
import { isLoopEvent } from '../../../domain/session';
import type { ApplyRequest } from '../../../domain/session/contract';
import type { SessionEventRecord, SessionLogEvent } from '../record';
import { changesOf, recordOf } from './changes';
import { changeStatus } from './own-session';

/** One record of a host. Null marks the use of a tool, which a `tool` event reports already. */
export type AppliedRecord = SessionLogEvent | null;

/** Returns the records of one request, in the order in which the host applied them. */
export function appliedRecords(request: ApplyRequest, verdicts: readonly ChangeVerdict[]): readonly AppliedRecord[] {
  return request.wanted.flatMap((wanted, index): readonly AppliedRecord[] => {
    const reason = verdicts[index]?.complaint;
    const changes = changesOf(wanted);
    const status = changeStatus(changes, reason);
    const records = changes.map((change) => ({
      ...recordOf(request, change, status),
      ...(reason === undefined ? {} : { reason }),
    }));
    return wanted.tool === null ? records : [...records, null];
  });
}

/**
 * Adds versions to records. Every applied event raises the version by one, so if their number matches the difference,
 * each version is known. If it matches only without the events of the agent loop, no slice handles those events, and
 * they count as ignored. Otherwise no versions are added.
 */
export function withVersions(
  slots: readonly AppliedRecord[],
  before: number | undefined,
  after: number,
): readonly AppliedRecord[] {
  if (before === undefined || slots.some((slot) => isEvent(slot) && slot.status === 'partly')) return slots;
  const missing = slots.filter(counts).length - (after - before);
  if (missing !== 0 && missing !== slots.filter(isIgnorable).length) return slots;
  let version = before;
  return slots.map((slot): AppliedRecord => {
    if (missing > 0 && isIgnorable(slot)) return { ...slot, status: 'ignored' };
    if (!counts(slot)) return slot;
    version += 1;
    return isEvent(slot) ? { ...slot, version } : slot;
  });
}

function isEvent(slot: AppliedRecord): slot is SessionEventRecord {
  return slot?.kind === 'session.event';
}

function counts(slot: AppliedRecord): boolean {
  return slot === null || (isEvent(slot) && slot.status === 'applied');
}

function isIgnorable(slot: AppliedRecord): slot is SessionEventRecord {
  return isEvent(slot) && slot.status === 'applied' && isLoopEvent(slot.type);
}
