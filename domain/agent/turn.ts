import { truncateText } from '../kernel';
import type { ModelReply } from '../model';
import { mediaTypes } from '../store';
import type { SessionEvent, ToolCall, ToolOutcome } from '../tool';
import type { FileChange } from '../workspace';
import { isStored, type PendingOutcome, type StoredOutcome } from './pending-outcome';
import type { AgentProgress } from './progress';
import {
  type CheckedAnswer,
  expandUsage,
  type LeftCall,
  type RanCall,
  type ToldInput,
  type Turn,
} from './turn-contract';

/** A turn as workflow code uses it: the model's reply, and which of its calls have run. */
export interface TurnReply extends ModelReply {
  /** Calls that ran inside the turn, by their place among all calls of the reply. */
  readonly ran: ReadonlyMap<number, RanCall>;
  /** The answer in the required format, or how it violates it; omitted without a format, and for other replies. */
  readonly checked?: CheckedAnswer;
  /** Result of the request to the host of the agent's shared session; omitted if the turn sent none. */
  readonly sent?: Pick<Turn, 'applied' | 'unanswered'>;
}

/** Completes what the result of a turn omits. `toolCalls` are all calls, in the order of the reply. */
export function expandTurn(turn: Turn): TurnReply {
  const { ran = [], calls = [], checked, lastUsage, model } = turn;
  const answer = checked !== undefined && 'text' in checked ? checked : turn;
  const inOrder = inCallOrder(ran, calls);
  return {
    head: { ...turn.head, mediaType: mediaTypes.json },
    stopReason: turn.stopReason,
    toolCalls: inOrder.map((call) => ('why' in call ? leftCall(call) : describedCall(call))),
    ran: new Map(inOrder.flatMap((call, index) => ('why' in call ? [] : [[index, call]]))),
    text: answer.text ?? { text: '' },
    characters: answer.characters ?? 0,
    usage: expandUsage(turn.usage),
    ...(lastUsage === undefined ? {} : { lastUsage: expandUsage(lastUsage) }),
    ...(model === undefined ? {} : { responseModel: model }),
    ...(checked === undefined ? {} : { checked }),
    ...sentIn(turn),
  };
}

function sentIn({ applied, unanswered }: Turn): Pick<TurnReply, 'sent'> {
  if (applied !== undefined) return { sent: { applied } };
  return unanswered === undefined ? {} : { sent: { unanswered } };
}

/** The calls that ran fill the places that the others leave free. */
function inCallOrder(ran: readonly RanCall[], calls: readonly LeftCall[]): readonly (RanCall | LeftCall)[] {
  const left = new Map(calls.map((call) => [call.index, call]));
  const others = ran.values();
  return Array.from({ length: ran.length + calls.length }, (_, index) => left.get(index) ?? others.next().value).filter(
    (call) => call !== undefined,
  );
}

function leftCall({ index: _index, why: _why, ...call }: LeftCall): ToolCall {
  return call;
}

/** A call that ran, with the beginning of its input. */
function describedCall({ id, name, about }: RanCall): ToolCall {
  return { id, name, input: { text: about } };
}

/** Maximum characters of a call's arguments in the result of its turn. */
const maxAboutCharacters = 60;

/** Returns the beginning of a call's arguments. */
export function aboutInput(input: string): string {
  return truncateText(input, maxAboutCharacters);
}

/** The result of a call that ran inside a turn, as far as workflow code knows it. */
export interface TakenResult {
  readonly outcome: StoredOutcome;
  readonly changes: readonly FileChange[];
  readonly events: readonly SessionEvent[];
  readonly seen?: readonly string[];
}

/** Returns the result of a call that ran inside the turn with this try. */
export function takenResult(
  { id, isError, bytes, digest, changes = [], events = [], seen }: RanCall,
  attempt: number,
): TakenResult {
  const outcome = { callId: id, isError: isError === true, stored: { try: attempt, bytes, digest } };
  return { outcome, changes, events, ...(seen === undefined ? {} : { seen }) };
}

/** Returns what the next turn tells the model; undefined when nothing. */
export function toldNext(
  { outcomes, changes, changesTold }: Pick<AgentProgress, 'outcomes' | 'changes' | 'changesTold'>,
  notes: readonly string[],
  steering: readonly string[],
): ToldInput | undefined {
  const stored = outcomes.filter(isStored);
  const verdicts = stored.flatMap(({ callId, verdict }) => (verdict === undefined ? [] : [[callId, verdict] as const]));
  const told: ToldInput = {
    ...nonEmpty('outcomes', outcomes.filter(isOwn)),
    ...(stored[0] === undefined ? {} : { ran: stored[0].stored.try }),
    ...(verdicts.length === 0 ? {} : { verdicts: Object.fromEntries(verdicts) }),
    ...nonEmpty(
      'withheld',
      stored.flatMap(({ callId, withheld }) => (withheld === true ? [callId] : [])),
    ),
    ...nonEmpty('notes', notes),
    ...nonEmpty('steering', steering),
    ...(changesTold ? {} : { changes }),
  };
  return Object.keys(told).length === 0 ? undefined : told;
}

function isOwn(outcome: PendingOutcome): outcome is ToolOutcome {
  return !isStored(outcome);
}

function nonEmpty<Name extends string, Item>(
  name: Name,
  list: readonly Item[],
): { readonly [Each in Name]?: readonly Item[] } {
  return list.length === 0 ? {} : ({ [name]: list } as { [Each in Name]: readonly Item[] });
}
