import {
  type ApplyRequest,
  applyTurnsContract,
  type ChangeVerdict,
  isLoopEvent,
  loadSnapshotActivity,
  type PackedReplies,
  sessionWorkflowContract,
} from '../../../domain/session';
import { applyTurnsUpdate } from '../../../workflows/messages';
import { type Decoder, type HistoryEvent, idOf, type Payloads } from '../decoder';
import type { SessionEventRecord, SessionLogEvent } from '../record';
import { changesOf, changeStatus, recordOf } from './own-session';
import { type EventTranslator, type HistoryStep, nothing, type PendingEvent } from './step';

/** Translates writes to a shared session, in the order in which its host applied them. */
export class SharedSessionEvents implements EventTranslator {
  private version: number | undefined;
  /** The last request of each writer. */
  private readonly writers = new Map<string, { readonly epoch: string; readonly seq: number }>();
  private readonly admitted = new Map<string, Payloads>();
  private readonly accepted = new Map<number, Payloads>();

  constructor(private readonly decoder: Decoder) {}

  read(step: HistoryStep): readonly PendingEvent[] {
    return mayConcern(step) ? this.applied(step) : nothing;
  }

  private applied({ event, completed }: HistoryStep): readonly PendingEvent[] {
    this.started(event);
    if (this.version === undefined && completed?.name === loadSnapshotActivity.name) {
      this.version = this.decoder.value(completed.result, loadSnapshotActivity.result)?.version;
    }
    this.remember(event);
    const update = event.workflowExecutionUpdateCompletedEventAttributes;
    const input = update && this.accepted.get(idOf(update.acceptedEventId));
    if (!update?.outcome?.success || input === undefined) return [];
    const sent = this.decoder.value(input, applyTurnsContract.input);
    const packed = this.decoder.value(update.outcome.success, applyTurnsContract.result);
    if (sent === undefined || packed === undefined) return [];
    return this.recordsOf(sent.requests, packed).flatMap((body) => (body === null ? [] : [{ body }]));
  }

  /** Replies share one copy of the whole session, as of the last request. Until then, versions are not recorded. */
  private recordsOf(requests: readonly ApplyRequest[], { replies, newest }: PackedReplies): readonly AppliedRecord[] {
    const records: AppliedRecord[] = [];
    let block: AppliedRecord[] = [];
    const finishBlock = (version: number | undefined): void => {
      records.push(...(version === undefined ? block : withVersions(block, this.version, version)));
      this.version = version;
      block = [];
    };
    requests.forEach((request, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      block.push(...this.slotsOf(request, reply));
      if (reply.ok && reply.update !== 'newest') finishBlock(reply.version);
    });
    finishBlock(newest?.version ?? this.version);
    return records;
  }

  private started({ workflowExecutionStartedEventAttributes: started }: HistoryEvent): void {
    if (started?.workflowType?.name !== sessionWorkflowContract.name) return;
    const { session, resume } = this.decoder.value(started.input, sessionWorkflowContract.input) ?? {};
    if (resume !== undefined) this.version = resume.session.version;
    else if (session !== undefined && 'inline' in session) this.version = session.inline.version;
    for (const [writer, last] of Object.entries(resume?.writers ?? {})) this.writers.set(writer, last);
  }

  private remember(event: HistoryEvent): void {
    const { request: admitted } = event.workflowExecutionUpdateAdmittedEventAttributes ?? {};
    if (admitted?.meta?.updateId) this.admitted.set(admitted.meta.updateId, admitted.input?.args);
    const update = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (!update) return;
    const { acceptedRequest: request } = update;
    if (request?.input && request.input.name !== applyTurnsUpdate.name) return;
    // An update that a reset carried over was admitted with its arguments and accepted without them.
    this.accepted.set(idOf(event.eventId), request?.input?.args ?? this.admitted.get(update.protocolInstanceId ?? ''));
  }

  private slotsOf(request: ApplyRequest, reply: PackedReplies['replies'][number]): readonly AppliedRecord[] {
    const { writer, turn, epoch, seq } = request;
    if (!reply.ok) return [{ kind: 'session.refused', writer, turn, reason: reply.reason }];
    const last = this.writers.get(writer);
    // A repeated request gets the same reply and changes nothing.
    if (last?.epoch === epoch && seq <= last.seq) return [];
    this.writers.set(writer, { epoch, seq });
    return appliedRecords(request, reply.verdicts);
  }
}

function mayConcern({ event, completed }: HistoryStep): boolean {
  if (completed) return completed.name === loadSnapshotActivity.name;
  const attributes =
    event.workflowExecutionStartedEventAttributes ??
    event.workflowExecutionUpdateAdmittedEventAttributes ??
    event.workflowExecutionUpdateAcceptedEventAttributes ??
    event.workflowExecutionUpdateCompletedEventAttributes;
  return attributes != null;
}

/** One record of a host. Null marks the use of a tool, which a `tool` event reports already. */
export type AppliedRecord = SessionLogEvent | null;

/** Returns the records of one request, in the order in which the host applied them. */
function appliedRecords(request: ApplyRequest, verdicts: readonly ChangeVerdict[]): readonly AppliedRecord[] {
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
function withVersions(
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
