import {
  executeToolActivity,
  expandTurn,
  type PendingOutcome,
  repetitionNotice,
  runTurnActivity,
  takenResult,
  type ToldInput,
} from '../../../domain/agent';
import { lowResourcesNotice } from '../../../domain/budget';
import type { Decoder, HistoryEvent, Payloads } from '../decoder';
import type { EventBody, Failure } from '../record';
import { IsolatedSessionEvents } from './own-session';
import { agentStart, resumedInput } from './start-arguments';
import type { EventTranslator, HistoryStep, PendingEvent } from './step';

/** Translates turns of the model, tool calls, and the changes that tools make to an isolated session. */
export class Tools implements EventTranslator {
  /** Undefined when the session is shared. Its changes are then in the history of the host. */
  private session: IsolatedSessionEvents | undefined;
  private turn = 0;
  /** Tool names by call id, for calls of the last reply whose outcome has not been sent to the model. */
  private calls = new Map<string, string>();
  /** Ids of those calls that are known to have ended. */
  private readonly ended = new Set<string>();

  constructor(private readonly decoder: Decoder) {}

  async read(step: HistoryStep): Promise<readonly PendingEvent[]> {
    return (await this.bodies(step)).map((body) => ({ body }));
  }

  private async bodies({ event, scheduled, completed, failed }: HistoryStep): Promise<readonly EventBody[]> {
    if (scheduled?.name === runTurnActivity.name) {
      return this.told((await this.decoder.read(scheduled.input, runTurnActivity.input))?.told);
    }
    if (completed?.name === runTurnActivity.name) return this.replied(completed.input, completed.result);
    if (completed?.name === executeToolActivity.name) return this.ran(completed.input, completed.result);
    if (failed?.name === executeToolActivity.name) return this.failed(failed.input, failed.failure);
    await this.started(event);
    const continued = event.workflowExecutionContinuedAsNewEventAttributes;
    if (continued) {
      return this.outcomesSent((await this.decoder.read(continued.input, resumedInput))?.resume?.progress?.outcomes);
    }
    return closedBy(event) === undefined ? [] : (this.session?.abandoned() ?? []);
  }

  private async started({ workflowExecutionStartedEventAttributes: started }: HistoryEvent): Promise<void> {
    if (!started) return;
    const { delegationId = 'root', sharedSession = null } = (await this.decoder.read(started.input, agentStart)) ?? {};
    this.session = sharedSession === null ? new IsolatedSessionEvents(delegationId) : undefined;
  }

  private async replied(input: Payloads, result: Payloads): Promise<readonly EventBody[]> {
    const sent = await this.decoder.read(input, runTurnActivity.input);
    const reply = await this.decoder.read(result, runTurnActivity.result);
    if (sent === undefined || reply === undefined) return [];
    const turn = sent.identity.call + 1;
    if ('notAsked' in reply) return [{ kind: 'turn.withheld', turn, reason: reply.notAsked, message: reply.message }];
    const { stopReason, usage, toolCalls, ran } = expandTurn(reply);
    this.turn = turn;
    this.calls = new Map(toolCalls.map(({ id, name }) => [id, name]));
    this.ended.clear();
    const told = (sent.told?.notes ?? []).filter(isNotice).map((text) => ({ kind: 'agent.told' as const, turn, text }));
    const inside = [...ran.values()].map((call) => {
      this.session?.ran(turn, takenResult(call, 0));
      return this.tool(call.id, call.name, call.isError === true);
    });
    return [...told, { kind: 'turn', turn, stopReason, usage, tools: toolCalls.map(({ name }) => name) }, ...inside];
  }

  private async ran(input: Payloads, result: Payloads): Promise<readonly EventBody[]> {
    const { call } = (await this.decoder.read(input, executeToolActivity.input)) ?? {};
    const execution = await this.decoder.read(result, executeToolActivity.result);
    if (call === undefined || execution === undefined) return [];
    this.session?.ran(this.turn, execution);
    return [this.tool(call.id, call.name, execution.outcome.isError)];
  }

  private async failed(input: Payloads, failure: Failure): Promise<readonly EventBody[]> {
    const { call } = (await this.decoder.read(input, executeToolActivity.input)) ?? {};
    return call === undefined ? [] : [{ ...this.tool(call.id, call.name, true), failure }];
  }

  /** Calls that ran inside the turn before have no outcome in the input of the next, only a verdict if there is one. */
  private told({ outcomes = [], verdicts = {} }: ToldInput = {}): readonly EventBody[] {
    const sent = new Set(outcomes.map(({ callId }) => callId));
    const inside = [...this.ended].filter((callId) => !sent.has(callId) && this.calls.has(callId));
    const stored = inside.map((callId) => ({
      callId,
      isError: verdicts[callId]?.complaint !== undefined,
      stored: { try: 0, bytes: 0, digest: '' },
      ...(verdicts[callId] === undefined ? {} : { verdict: verdicts[callId] }),
    }));
    return this.outcomesSent([...stored, ...outcomes]);
  }

  private outcomesSent(outcomes: readonly PendingOutcome[] = []): readonly EventBody[] {
    return outcomes.flatMap((outcome) => {
      const name = this.calls.get(outcome.callId);
      // After continue-as-new, the first call repeats outcomes that the previous execution has already reported.
      if (name === undefined) return [];
      this.calls.delete(outcome.callId);
      // Delegations and refused calls don't run the tool activity, so their end shows only here.
      const tool = this.ended.has(outcome.callId) ? [] : [this.tool(outcome.callId, name, outcome.isError)];
      return [...tool, ...(this.session?.told(outcome) ?? [])];
    });
  }

  private tool(callId: string, tool: string, isError: boolean): Extract<EventBody, { kind: 'tool' }> {
    this.ended.add(callId);
    return { kind: 'tool', turn: this.turn, tool, callId, isError };
  }
}

function isNotice(note: string): boolean {
  return note.includes(lowResourcesNotice) || note.includes(repetitionNotice);
}

/** Returns the id of the next execution if an event closes its execution; undefined if it does not close it. */
export function closedBy(event: HistoryEvent): { readonly next: string | undefined } | undefined {
  const attributes =
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes ??
    event.workflowExecutionContinuedAsNewEventAttributes;
  // The server sends an empty string if no execution follows.
  if (attributes) return { next: attributes.newExecutionRunId || undefined };
  const stopped =
    event.workflowExecutionCanceledEventAttributes ?? event.workflowExecutionTerminatedEventAttributes ?? undefined;
  return stopped === undefined ? undefined : { next: undefined };
}
