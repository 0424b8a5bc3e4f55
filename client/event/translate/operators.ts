import {
  decisionRecord,
  type Incident,
  operatorDecisionContract,
  parseIncidentSummary,
  pauseContract,
  setPausedContract,
  steerContract,
} from '../../../domain/operator';
import { findDecisionActivity } from '../../../domain/tool';
import {
  operatorDecisionUpdate,
  pauseUpdate,
  resumeUpdate,
  setPausedSignal,
  steerUpdate,
} from '../../../workflows/messages';
import { type Decoder, type HistoryEvent, idOf, type Payloads } from '../decoder';
import type { Failure, OperatorEvent } from '../record';
import { type EventTranslator, type HistoryStep, nothing, type PendingEvent } from './step';

/** Kinds of incidents that are not failures, by their type. */
const kindsByType: ReadonlyMap<string, Incident['kind']> = new Map([
  ['Tool.Requested', 'toolRequest'],
  ['Tool.NeedsApproval', 'approval'],
  ['Agent.Question', 'question'],
]);

/** A call about which an operator may be asked. */
interface AskedCall {
  readonly tool: string;
  readonly callId: string;
  /** The beginning of its arguments. */
  readonly arguments: string;
}

/** Translates what involves operators: incidents, decisions, pauses and steering messages. */
export class Operators implements EventTranslator {
  /** Incident ids by the event of the timer that waits for a decision. */
  private readonly waiting = new Map<number, string>();
  /** Decisions that are recorded as accepted, but may still be refused, by the event that accepted them. */
  private readonly checked = new Map<number, OperatorEvent>();
  /** Calls that may need an operator and have not been asked about, in order. */
  private readonly calls: AskedCall[] = [];
  /** The last failure with its whole message. The timer's summary contains only the beginning of it. */
  private failure: Failure | undefined;

  constructor(private readonly decoder: Decoder) {}

  read(step: HistoryStep): readonly PendingEvent[] {
    this.failure = step.failed?.failure ?? this.failure;
    return mayConcern(step) ? this.involved(step) : nothing;
  }

  private involved(step: HistoryStep): readonly PendingEvent[] {
    this.noteCall(step);
    const body = this.parked(step.event) ?? this.unanswered(step.event) ?? this.received(step.event);
    return body === undefined ? [] : [{ body }];
  }

  private parked(event: HistoryEvent): OperatorEvent | undefined {
    if (!event.timerStartedEventAttributes) return undefined;
    const found = parseIncidentSummary(this.decoder.summaryOf(event) ?? '');
    if (found === undefined) return undefined;
    const { id, step, type } = found;
    this.waiting.set(idOf(event.eventId), id);
    const message = this.failure?.type === type ? this.failure.message : found.message;
    const incidentKind = kindsByType.get(type) ?? 'failure';
    const call = incidentKind === 'failure' ? {} : this.takeCall(step);
    return { kind: 'agent.parked', incident: id, step, type, message, incidentKind, ...call };
  }

  /** Whether a call needs an operator is looked up just before one is asked. */
  private noteCall({ completed }: HistoryStep): void {
    if (completed?.name !== findDecisionActivity.name) return;
    const asked = this.decoder.value(completed.input, findDecisionActivity.input);
    const found = this.decoder.value(completed.result, findDecisionActivity.result);
    if (asked === undefined || found === undefined) return;
    this.calls.push({ tool: asked.call.name, callId: asked.call.id, arguments: found.preview });
  }

  private takeCall(step: string): Partial<Omit<AskedCall, 'tool'>> {
    const at = this.calls.findIndex(({ tool }) => tool === step);
    const [found] = at < 0 ? [] : this.calls.splice(at, 1);
    if (found === undefined) return {};
    const { tool: _tool, ...call } = found;
    return call;
  }

  private unanswered({ timerFiredEventAttributes: fired }: HistoryEvent): OperatorEvent | undefined {
    const incident = fired && this.waiting.get(idOf(fired.startedEventId));
    return incident == null ? undefined : { kind: 'agent.unanswered', incident };
  }

  /**
   * An accepted update was carried out, except for a decision with other arguments for a call: these are checked in
   * between. Other refused updates are not recorded in history.
   */
  private received(event: HistoryEvent): OperatorEvent | undefined {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal?.signalName === setPausedSignal.name) {
      const sent = this.decoder.value(signal.input, setPausedContract.input);
      return sent && { kind: sent.paused ? 'agent.paused' : 'agent.resumed', by: null, note: '' };
    }
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    if (completed) return completed.outcome?.success ? this.checked.get(idOf(completed.acceptedEventId)) : undefined;
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    const received = update ? this.updated(update.name ?? '', update.args) : undefined;
    if (received?.kind !== 'agent.answered' || received.edited === undefined) return received;
    this.checked.set(idOf(event.eventId), received);
    return undefined;
  }

  private updated(name: string, args: Payloads): OperatorEvent | undefined {
    switch (name) {
      case operatorDecisionUpdate.name: {
        const decision = this.decoder.value(args, operatorDecisionContract.input);
        if (decision === undefined) return undefined;
        const { at: _at, ...recorded } = decisionRecord(decision, '');
        return { kind: 'agent.answered', ...recorded };
      }
      case pauseUpdate.name:
      case resumeUpdate.name: {
        const { by = '', note = '' } = this.decoder.value(args, pauseContract.input) ?? {};
        return { kind: name === pauseUpdate.name ? 'agent.paused' : 'agent.resumed', by, note };
      }
      case steerUpdate.name: {
        const sent = this.decoder.value(args, steerContract.input);
        return sent && { kind: 'agent.steered', text: sent.text, by: sent.by ?? '' };
      }
      default:
        return undefined;
    }
  }
}

function mayConcern({ event, completed }: HistoryStep): boolean {
  if (completed) return completed.name === findDecisionActivity.name;
  const attributes =
    event.timerStartedEventAttributes ??
    event.timerFiredEventAttributes ??
    event.workflowExecutionSignaledEventAttributes ??
    event.workflowExecutionUpdateAcceptedEventAttributes ??
    event.workflowExecutionUpdateCompletedEventAttributes;
  return attributes != null;
}
