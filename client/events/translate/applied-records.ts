import type { TurnVerdict } from '../../../domain/agent/apply-turn';
import { isLoopEvent } from '../../../domain/session';
import type { ApplyRequest } from '../../../domain/shared-session/protocol';
import type { SessionEventRecord } from '../record';
import { changesOf, recordOf } from './changes';
import { statusOf } from './own-session';

/** An event of a request; null stands for the note that a tool was used, which `tool` events tell already. */
type Slot = SessionEventRecord | null;

/** Of the session around a request, as far as they are on record. */
interface Versions {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** What a host made of one request. */
export function appliedRecords(
  request: ApplyRequest,
  verdicts: readonly TurnVerdict[],
  versions: Versions,
): readonly SessionEventRecord[] {
  const slots = request.wanted.flatMap((wanted, index): readonly Slot[] => {
    const reason = verdicts[index]?.complaint;
    const changes = changesOf(wanted);
    const status = statusOf(changes, reason);
    const records = changes.map((change) => ({
      ...recordOf(request, change, status),
      ...(reason === undefined ? {} : { reason }),
    }));
    return wanted.tool === null ? records : [...records, null];
  });
  return withVersions(slots, versions).filter((slot) => slot !== null);
}

/**
 * Every applied event raises the version by one. Where the number of events and the difference agree, each has a version
 * of its own; where they agree without what the loop reports, nobody listened to that.
 */
function withVersions(slots: readonly Slot[], { before, after }: Versions): readonly Slot[] {
  if (before === undefined || after === undefined) return slots;
  if (slots.some((slot) => slot?.status === 'partly')) return slots;
  const applied = slots.filter((slot) => slot === null || slot.status === 'applied').length;
  const isIgnorable = (slot: Slot): slot is SessionEventRecord =>
    slot !== null && slot.status === 'applied' && isLoopEvent(slot.type);
  const missing = applied - (after - before);
  if (missing !== 0 && missing !== slots.filter(isIgnorable).length) return slots;
  let version = before;
  return slots.map((slot): Slot => {
    if (missing > 0 && isIgnorable(slot)) return { ...slot, status: 'ignored' };
    if (slot === null || slot.status === 'applied') version += 1;
    return slot?.status === 'applied' ? { ...slot, version } : slot;
  });
}
