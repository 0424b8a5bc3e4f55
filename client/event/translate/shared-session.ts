import type { SessionSnapshot } from '../../../domain/session';
import type { PackedReplies } from '../../../domain/session/shared/answers';
import type { ApplyRequest } from '../../../domain/session/contract';
import { applyTurnsUpdate } from '../../../workflows/messages';
import { idOf, type Decoder, type HistoryEvent, type Payloads } from '../decoder';
import { appliedRecords, withVersions, type AppliedRecord } from './applied-records';
import type { HostStart } from './inputs';
import type { PendingEvent, EventTranslator, HistoryStep } from './step';

/** Translates writes to a shared session, in the order in which its host applied them. */
export class SharedSession implements EventTranslator {
  private version: number | undefined;
  /** The last request of each writer. */
  private readonly writers = new Map<string, { readonly epoch: string; readonly seq: number }>();
  private readonly admitted = new Map<string, Payloads>();
  private readonly accepted = new Map<number, Payloads>();

  constructor(private readonly decoder: Decoder) {}

  async read({ event, completed }: HistoryStep): Promise<readonly PendingEvent[]> {
    await this.started(event);
    if (this.version === undefined && completed?.name === 'loadSnapshot') {
      this.version = (await this.decoder.object<SessionSnapshot>(completed.result)).version;
    }
    this.remember(event);
    const update = event.workflowExecutionUpdateCompletedEventAttributes;
    const input = update && this.accepted.get(idOf(update.acceptedEventId));
    if (!update?.outcome?.success || input === undefined) return [];
    const { requests } = await this.decoder.object<{ requests: readonly ApplyRequest[] }>(input);
    const packed = await this.decoder.object<PackedReplies>(update.outcome.success);
    return this.recordsOf(requests, packed).flatMap((body) => (body === null ? [] : [{ body }]));
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

  private async started({ workflowExecutionStartedEventAttributes: started }: HistoryEvent): Promise<void> {
    if (started?.workflowType?.name !== 'sessionWorkflow') return;
    const { session, resume } = await this.decoder.object<HostStart>(started.input);
    if (resume !== undefined) this.version = resume.session.version;
    else if ('inline' in session) this.version = session.inline.version;
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
