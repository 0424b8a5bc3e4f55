import {
  executeToolActivity,
  expandTurn,
  type PendingOutcome,
  type RanCall,
  repetitionNotice,
  runTurnActivity,
  takenResult,
  type ToldInput,
  type Turn,
  turnsOf,
} from '../../../domain/agent';
import { lowResourcesNotice } from '../../../domain/budget';
import type { ChangeVerdict } from '../../../domain/session';
import type { Decoder, HistoryEvent, Payloads } from '../decoder';
import type { EventBody, Failure } from '../record';
import { IsolatedSessionEvents } from './own-session';
import { agentStart, resumedInput } from './start-arguments';
import type { CompletedActivity, EventTranslator, HistoryStep, PendingEvent } from './step';
import { timesOfTurns, type TurnTimes, turnTimes } from './turn-times';

/** A call of the last reply. */
interface RequestedCall {
  readonly name: string;
  readonly ranInside: boolean;
}

/** Translates turns of the model, tool calls, and the changes that tools make to an isolated session. */
export class Tools implements EventTranslator {
  /** Undefined when the session is shared. Its changes are then in the history of the host. */
  private session: IsolatedSessionEvents | undefined;
  private turn = 0;
  /** Calls of the last reply whose outcome has not been sent to the model, by id and in their order. */
  private calls = new Map<string, RequestedCall>();
  /** Ids of those calls that are known to have ended. */
  private readonly ended = new Set<string>();

  constructor(private readonly decoder: Decoder) {}

  async read(step: HistoryStep): Promise<readonly PendingEvent[]> {
    const { completed } = step;
    if (completed?.name === runTurnActivity.name) return this.replied(completed);
    return (await this.bodies(step)).map((body) => ({ body }));
  }

  private async bodies({ event, scheduled, completed, failed }: HistoryStep): Promise<readonly EventBody[]> {
    if (scheduled?.name === runTurnActivity.name) {
      return this.told((await this.decoder.read(scheduled.input, runTurnActivity.input))?.told);
    }
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

  private async replied(activity: CompletedActivity): Promise<readonly PendingEvent[]> {
    const sent = await this.decoder.read(activity.input, runTurnActivity.input);
    const result = await this.decoder.read(activity.result, runTurnActivity.result);
    if (sent === undefined || result === undefined) return [];
    const first = sent.identity.call + 1;
    if ('notAsked' in result) {
      return [{ body: { kind: 'turn.withheld', turn: first, reason: result.notAsked, message: result.message } }];
    }
    const turns = turnsOf(result);
    const times = timesOfTurns(activity, turns);
    return turns.flatMap((turn, index) => [
      // Nothing but the outcomes of the turn before was sent.
      ...(index === 0 ? [] : this.told().map((body) => ({ body, time: times[index - 1]?.over ?? activity.endedAt }))),
      ...this.taken(
        first + index,
        turn,
        times[index] ?? turnTimes(activity, turn),
        index === 0 ? sent.told : undefined,
      ),
    ]);
  }

  /** One turn of those that an activity took. */
  private taken(number: number, taken: Turn, times: TurnTimes, sent: ToldInput = {}): readonly PendingEvent[] {
    const { stopReason, usage, toolCalls, ran } = expandTurn(taken);
    const turn = (this.turn = number);
    this.calls = new Map(toolCalls.map(({ id, name }, index) => [id, { name, ranInside: ran.has(index) }]));
    this.ended.clear();
    const told = (sent.notes ?? []).filter(isNotice).map((text) => ({ kind: 'agent.told' as const, turn, text }));
    const reply = { kind: 'turn' as const, turn, stopReason, usage, tools: toolCalls.map(({ name }) => name) };
    return [
      ...[...told, reply].map((body) => ({ body, time: times.replied })),
      ...this.ranInside([...ran.values()], times),
    ];
  }

  /** Calls that ran inside the turn, in the order in which they ended. */
  private ranInside(ran: readonly RanCall[], { ended }: TurnTimes): readonly PendingEvent[] {
    for (const call of ran) this.session?.ran(this.turn, takenResult(call, 0));
    return [...ran]
      .sort((a, b) => a.ms - b.ms)
      .map(({ id, name, isError, ms }) => ({ body: this.tool(id, name, isError === true), time: ended(ms) }));
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

  /** The next turn is sent the outcomes of all calls but those that ran inside: of these, only the verdicts. */
  private told({ outcomes = [], verdicts = {} }: ToldInput = {}): readonly EventBody[] {
    const own = new Map(outcomes.map((outcome) => [outcome.callId, outcome]));
    const all = [...this.calls].flatMap(([callId, { ranInside }]): readonly PendingOutcome[] => {
      const outcome = own.get(callId);
      if (outcome !== undefined) return [outcome];
      return ranInside ? [storedOutcome(callId, verdicts[callId])] : [];
    });
    return this.outcomesSent(all);
  }

  private outcomesSent(outcomes: readonly PendingOutcome[] = []): readonly EventBody[] {
    return outcomes.flatMap((outcome) => {
      const call = this.calls.get(outcome.callId);
      // After continue-as-new, the first call repeats outcomes that the previous execution has already reported.
      if (call === undefined) return [];
      this.calls.delete(outcome.callId);
      // Delegations and refused calls don't run the tool activity, so their end shows only here.
      const tool = this.ended.has(outcome.callId) ? [] : [this.tool(outcome.callId, call.name, outcome.isError)];
      return [...tool, ...(this.session?.told(outcome) ?? [])];
    });
  }

  private tool(callId: string, tool: string, isError: boolean): Extract<EventBody, { kind: 'tool' }> {
    this.ended.add(callId);
    return { kind: 'tool', turn: this.turn, tool, callId, isError };
  }
}

/** What a turn is sent about a call that ran inside the turn before. */
function storedOutcome(callId: string, verdict: ChangeVerdict | undefined): PendingOutcome {
  const isError = verdict?.complaint !== undefined;
  const outcome = { callId, isError, stored: { try: 0, bytes: 0, digest: '' } };
  return verdict === undefined ? outcome : { ...outcome, verdict };
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
