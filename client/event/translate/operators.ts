import {
  decisionRecord,
  operatorDecisionContract,
  parseIncidentSummary,
  pauseContract,
  setPausedContract,
  steerContract,
} from '../../../domain/operator';
import {
  operatorDecisionUpdate,
  pauseUpdate,
  resumeUpdate,
  setPausedSignal,
  steerUpdate,
} from '../../../workflows/messages';
import { type Decoder, type HistoryEvent, idOf, type Payloads } from '../decoder';
import type { Failure, OperatorEvent } from '../record';
import type { EventTranslator, HistoryStep, PendingEvent } from './step';

/** Translates what involves operators: incidents, decisions, pauses and steering messages. */
export class Operators implements EventTranslator {
  /** Incident ids by the event of the timer that waits for a decision. */
  private readonly waiting = new Map<number, string>();
  /** Decisions that are recorded as accepted, but may still be refused, by the event that accepted them. */
  private readonly checked = new Map<number, OperatorEvent>();
  /** The last failure with its whole message. The timer's summary contains only the beginning of it. */
  private failure: Failure | undefined;

  constructor(private readonly decoder: Decoder) {}

  async read(step: HistoryStep): Promise<readonly PendingEvent[]> {
    this.failure = step.failed?.failure ?? this.failure;
    const body = (await this.parked(step.event)) ?? this.unanswered(step.event) ?? (await this.received(step.event));
    return body === undefined ? [] : [{ body }];
  }

  private async parked(event: HistoryEvent): Promise<OperatorEvent | undefined> {
    if (!event.timerStartedEventAttributes) return undefined;
    const found = parseIncidentSummary((await this.decoder.summary(event)) ?? '');
    if (found === undefined) return undefined;
    const { id, step, type } = found;
    this.waiting.set(idOf(event.eventId), id);
    const message = this.failure?.type === type ? this.failure.message : found.message;
    return { kind: 'agent.parked', incident: id, step, type, message };
  }

  private unanswered({ timerFiredEventAttributes: fired }: HistoryEvent): OperatorEvent | undefined {
    const incident = fired && this.waiting.get(idOf(fired.startedEventId));
    return incident == null ? undefined : { kind: 'agent.unanswered', incident };
  }

  /**
   * An accepted update was carried out, except for a decision with other arguments for a call: these are checked in
   * between. Other refused updates are not recorded in history.
   */
  private async received(event: HistoryEvent): Promise<OperatorEvent | undefined> {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal?.signalName === setPausedSignal.name) {
      const sent = await this.decoder.read(signal.input, setPausedContract.input);
      return sent && { kind: sent.paused ? 'agent.paused' : 'agent.resumed', by: null, note: '' };
    }
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    if (completed) return completed.outcome?.success ? this.checked.get(idOf(completed.acceptedEventId)) : undefined;
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    const received = update ? await this.updated(update.name ?? '', update.args) : undefined;
    if (received?.kind !== 'agent.answered' || received.edited === undefined) return received;
    this.checked.set(idOf(event.eventId), received);
    return undefined;
  }

  private async updated(name: string, args: Payloads): Promise<OperatorEvent | undefined> {
    switch (name) {
      case operatorDecisionUpdate.name: {
        const decision = await this.decoder.read(args, operatorDecisionContract.input);
        if (decision === undefined) return undefined;
        const { at: _at, ...recorded } = decisionRecord(decision, '');
        return { kind: 'agent.answered', ...recorded };
      }
      case pauseUpdate.name:
      case resumeUpdate.name: {
        const { by = '', note = '' } = (await this.decoder.read(args, pauseContract.input)) ?? {};
        return { kind: name === pauseUpdate.name ? 'agent.paused' : 'agent.resumed', by, note };
      }
      case steerUpdate.name: {
        const sent = await this.decoder.read(args, steerContract.input);
        return sent && { kind: 'agent.steered', text: sent.text, by: sent.by ?? '' };
      }
      default:
        return undefined;
    }
  }
}
