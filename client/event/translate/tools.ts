import {
  areTurns,
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
import type { SpilledText } from '../../../domain/store';
import { type Decoder, type HistoryEvent, microsecondsOf } from '../decoder';
import { type EventBody, eventText, type Failure, isoTime } from '../record';
import { IsolatedSessionEvents } from './own-session';
import { agentStart, resumedInput } from './start-arguments';
import {
  type CallTexts,
  type CompletedActivity,
  type EndedActivity,
  type EventTranslator,
  type HistoryStep,
  nothing,
  type PendingEvent,
  type TurnPlace,
} from './step';
import { timesOfTurns, type TurnTimes, turnTimes } from './turn-times';

/** A call of the last reply. */
interface RequestedCall {
  readonly name: string;
  readonly ranInside: boolean;
  /** Its arguments, or the beginning of them. */
  readonly input: SpilledText;
  /** When the workflow could begin with it, in microseconds since 1970. */
  readonly since: number;
}

/** When a call began and ended, in microseconds since 1970. */
interface CallTimes {
  readonly startedAt: number;
  readonly endedAt: number;
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

  read(step: HistoryStep): readonly PendingEvent[] {
    const { scheduled, completed, failed } = step;
    if (completed?.name === runTurnActivity.name) return this.replied(completed);
    const activity = scheduled ?? completed ?? failed;
    const isOwn =
      activity === undefined
        ? (step.event.workflowExecutionStartedEventAttributes ?? closedBy(step.event)) != null
        : activity.name === runTurnActivity.name || activity.name === executeToolActivity.name;
    return isOwn ? this.others(step) : nothing;
  }

  private others({ event, scheduled, completed, failed }: HistoryStep): readonly PendingEvent[] {
    const now = microsecondsOf(event);
    if (scheduled?.name === runTurnActivity.name) {
      return this.told(now, this.decoder.value(scheduled.input, runTurnActivity.input)?.told);
    }
    if (completed?.name === executeToolActivity.name) return this.ran(completed);
    if (failed?.name === executeToolActivity.name) return this.failed(failed);
    this.started(event);
    const continued = event.workflowExecutionContinuedAsNewEventAttributes;
    if (continued) {
      const { resume } = this.decoder.value(continued.input, resumedInput) ?? {};
      return this.outcomesSent(now, resume?.progress?.outcomes);
    }
    return closedBy(event) === undefined ? [] : (this.session?.abandoned() ?? []).map((body) => ({ body }));
  }

  private started({ workflowExecutionStartedEventAttributes: started }: HistoryEvent): void {
    if (!started) return;
    const { delegationId = 'root', sharedSession = null } = this.decoder.value(started.input, agentStart) ?? {};
    this.session = sharedSession === null ? new IsolatedSessionEvents(delegationId) : undefined;
  }

  private replied(activity: CompletedActivity): readonly PendingEvent[] {
    const sent = this.decoder.value(activity.input, runTurnActivity.input);
    const result = this.decoder.value(activity.result, runTurnActivity.result);
    if (sent === undefined || result === undefined) return [];
    const first = sent.identity.call + 1;
    if ('notAsked' in result) {
      // Only a look for what was paid for: the same turn follows.
      if (result.notAsked === 'unpaid') return [];
      return [{ body: { kind: 'turn.withheld', turn: first, reason: result.notAsked, message: result.message } }];
    }
    if (!areTurns(result)) return [];
    const turns = turnsOf(result);
    const times = timesOfTurns(activity, turns);
    return turns.flatMap((turn, index) => {
      const began = times[index] ?? turnTimes(activity, turn);
      const identity = { ...sent.identity, call: sent.identity.call + index };
      return [
        // Nothing but the outcomes of the turn before was sent.
        ...(index === 0 ? [] : this.told(times[index - 1]?.over ?? activity.endedAt)),
        ...this.taken(turn, began, {
          place: { head: turn.head, identity },
          attempts: index === 0 ? activity.attempts : 1,
          sent: index === 0 ? sent.told : undefined,
        }),
      ];
    });
  }

  /** One turn of those that an activity took. */
  private taken(taken: Turn, times: TurnTimes, { place, attempts, sent = {} }: TakenAs): readonly PendingEvent[] {
    const { stopReason, usage, toolCalls, ran } = expandTurn(taken);
    const turn = (this.turn = place.identity.call + 1);
    this.calls = new Map(
      toolCalls.map(({ id, name, input }, index) => {
        return [id, { name, input, ranInside: ran.has(index), since: times.over }];
      }),
    );
    this.ended.clear();
    const told = (sent.notes ?? []).filter(isNotice).map((text) => ({ kind: 'agent.told' as const, turn, text }));
    const reply = {
      kind: 'turn' as const,
      turn,
      startedAt: isoTime(times.began),
      ms: taken.ms,
      ...(attempts > 1 ? { attempts } : {}),
      stopReason,
      usage,
      tools: toolCalls.map(({ name }) => name),
    };
    return [
      ...told.map((body) => ({ body, time: times.replied })),
      { body: reply, time: times.replied, turn: place },
      ...this.ranInside([...ran.values()], times, place),
    ];
  }

  /** Calls that ran inside the turn, in the order in which they ended. */
  private ranInside(ran: readonly RanCall[], { replied, ended }: TurnTimes, place: TurnPlace): readonly PendingEvent[] {
    for (const call of ran) this.session?.ran(this.turn, takenResult(call, 0));
    return [...ran]
      .sort((a, b) => a.ms - b.ms)
      .map(({ id, name, isError, ms }) => {
        const times = { startedAt: replied, endedAt: replied + ms * 1_000 };
        return { ...this.tool(id, name, isError === true, times, place), time: ended(ms) };
      });
  }

  private ran(activity: CompletedActivity): readonly PendingEvent[] {
    const { call } = this.decoder.value(activity.input, executeToolActivity.input) ?? {};
    const execution = this.decoder.value(activity.result, executeToolActivity.result);
    if (call === undefined || execution === undefined) return [];
    this.session?.ran(this.turn, execution);
    const { isError, content } = execution.outcome;
    return [this.tool(call.id, call.name, isError, activity, content)];
  }

  private failed({ failure, ...activity }: EndedActivity & { failure: Failure }): readonly PendingEvent[] {
    const { call } = this.decoder.value(activity.input, executeToolActivity.input) ?? {};
    if (call === undefined) return [];
    const { body, ...rest } = this.tool(call.id, call.name, true, activity);
    return [{ ...rest, body: { ...body, failure } }];
  }

  /** The next turn is sent the outcomes of all calls but those that ran inside: of these, only the verdicts. */
  private told(now: number, { outcomes = [], verdicts = {} }: ToldInput = {}): readonly PendingEvent[] {
    const own = new Map(outcomes.map((outcome) => [outcome.callId, outcome]));
    const all = [...this.calls].flatMap(([callId, { ranInside }]): readonly PendingOutcome[] => {
      const outcome = own.get(callId);
      if (outcome !== undefined) return [outcome];
      return ranInside ? [storedOutcome(callId, verdicts[callId])] : [];
    });
    return this.outcomesSent(now, all);
  }

  private outcomesSent(now: number, outcomes: readonly PendingOutcome[] = []): readonly PendingEvent[] {
    return outcomes.flatMap((outcome) => {
      const call = this.calls.get(outcome.callId);
      // After continue-as-new, the first call repeats outcomes that the previous execution has already reported.
      if (call === undefined) return [];
      this.calls.delete(outcome.callId);
      // Delegations and refused calls don't run the tool activity, so their end shows only here.
      const tool = this.ended.has(outcome.callId) ? [] : [this.sent(call, outcome, now)];
      const records = this.session?.told(outcome) ?? [];
      return [...tool, ...records.map((body) => ({ body }))].map((event) => ({ ...event, time: now }));
    });
  }

  private sent({ name, since }: RequestedCall, outcome: PendingOutcome, now: number): PendingEvent {
    const times = { startedAt: since, endedAt: now };
    return this.tool(outcome.callId, name, outcome.isError, times, 'content' in outcome ? outcome.content : undefined);
  }

  private tool(
    callId: string,
    tool: string,
    isError: boolean,
    { startedAt, endedAt }: CallTimes,
    result?: SpilledText | TurnPlace,
  ): { readonly body: Extract<EventBody, { kind: 'tool' }>; readonly texts: CallTexts } {
    this.ended.add(callId);
    const { input } = this.calls.get(callId) ?? {};
    return {
      body: {
        kind: 'tool',
        turn: this.turn,
        tool,
        callId,
        isError,
        startedAt: isoTime(startedAt),
        ms: Math.max(0, Math.round((endedAt - startedAt) / 1_000)),
        ...(input !== undefined && 'text' in input ? { arguments: eventText(input.text) } : {}),
        ...(result !== undefined && 'text' in result ? { result: eventText(result.text) } : {}),
      },
      texts: {
        ...(input === undefined ? {} : { arguments: input }),
        ...(result === undefined ? {} : { result }),
      },
    };
  }
}

/** How a turn was taken. */
interface TakenAs {
  readonly place: TurnPlace;
  readonly attempts: number;
  /** What was sent to the model before it. */
  readonly sent: ToldInput | undefined;
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
