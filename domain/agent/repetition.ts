import { sha256Hex, truncateText } from '../kernel';
import type { SpilledText } from '../store';
import type { ToolCall, ToolOutcome } from '../tool';
import { isStored, type PendingOutcome } from './pending-outcome';

/** Longest cycle, in turns, that is recognized as a repetition. */
const longestCycle = 3;

/** How often the last turns of an agent were the same. Bounded: digests of the last turns, and counters. */
export interface Repetition {
  /** Digests of the last turns, newest first. */
  readonly last: readonly string[];
  /** For cycles of one turn, two turns and so on: the number of turns in a row that equal the one a cycle earlier. */
  readonly same: readonly number[];
}

/** A cycle of turns that an agent has repeated. */
export interface RepeatedTurns {
  /** Number of turns in the cycle. */
  readonly turns: number;
  /** How many times the cycle was made in a row. */
  readonly times: number;
}

/** Returns the repetition after a turn in which the agent made these calls and got these outcomes, in the same order. */
export function afterTurn(
  { last, same }: Repetition = { last: [], same: [] },
  calls: readonly ToolCall[],
  outcomes: readonly PendingOutcome[],
): Repetition {
  const digest = digestOf(calls, outcomes);
  return {
    last: [digest, ...last].slice(0, longestCycle),
    same: Array.from({ length: longestCycle }, (_, index) => (last[index] === digest ? (same[index] ?? 0) + 1 : 0)),
  };
}

/** Returns the cycle that the last turn completed once more; undefined if it did not repeat anything. */
export function repeatedTurns({ same }: Repetition): RepeatedTurns | undefined {
  return same
    .map((count, index) => ({ turns: index + 1, count }))
    .filter(({ turns, count }) => count > 0 && count % turns === 0)
    .map(({ turns, count }) => ({ turns, times: count / turns + 1 }))
    .sort((one, other) => other.times - one.times)[0];
}

/** Whether an agent that repeats itself is told so, or stopped. */
export type RepetitionVerdict = 'none' | 'warn' | 'stop';

/** Number of further repetitions, after the notice, with which an agent is stopped. */
function furtherRepeats(maxRepeats: number): number {
  return Math.ceil(maxRepeats / 2);
}

/** Judges how often an agent made the same turns. `maxRepeats` of 0 allows any number. */
export function judgeRepetition(repeated: RepeatedTurns | undefined, maxRepeats: number): RepetitionVerdict {
  if (repeated === undefined || maxRepeats === 0) return 'none';
  if (repeated.times >= maxRepeats + furtherRepeats(maxRepeats)) return 'stop';
  return repeated.times === maxRepeats ? 'warn' : 'none';
}

/** Part of every notice about repetition, and of no other message to a model. */
export const repetitionNotice = 'Repeating it will not change the result.';

/** Tells an agent that it repeats itself. */
export function formatRepetitionNotice(
  repeated: RepeatedTurns,
  calls: readonly ToolCall[],
  maxRepeats: number,
): string {
  const further = furtherRepeats(maxRepeats);
  const more = further === 1 ? 'once more' : `${further} more times`;
  return `You ${formatRepetition(repeated, calls)}. ${repetitionNotice} Do something else, or answer with what you have. If you repeat it ${more}, you are stopped.`;
}

/** Describes what was repeated, as the predicate of a sentence that names the agent. */
export function formatRepetition({ turns, times }: RepeatedTurns, calls: readonly ToolCall[]): string {
  const called = describeCalls(calls);
  return turns === 1
    ? `made the same call ${times} times in a row, with the same result: ${called}`
    : `made the same ${turns} turns ${times} times in a row, with the same results; the last one called ${called}`;
}

const maxDescribedInput = 200;
const maxDescribedCalls = 3;

function describeCalls(calls: readonly ToolCall[]): string {
  const different = [...new Set(calls.map(({ name, input }) => `${name} ${shownInput(input)}`))];
  const more = different.length - maxDescribedCalls;
  const shown = different.slice(0, maxDescribedCalls).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function shownInput(input: SpilledText): string {
  return 'text' in input ? truncateText(input.text, maxDescribedInput) : `with ${input.ref.bytes} bytes of input`;
}

/** Returns the digest of a turn's calls and their results. Neither ids nor the order of the calls matter. */
function digestOf(calls: readonly ToolCall[], outcomes: readonly PendingOutcome[]): string {
  const done = calls.map((call, index) => JSON.stringify(doneIn(call, outcomes[index])));
  return sha256Hex(JSON.stringify([...new Set(done)].sort())).slice(0, 16);
}

function doneIn({ name, input }: ToolCall, outcome: PendingOutcome | undefined): unknown {
  if (outcome === undefined) return [name, identity(input), null];
  if (!isStored(outcome)) return [name, identity(input), resultOf(outcome)];
  const { complaint = '', remark = '' } = outcome.verdict ?? {};
  return [outcome.stored.digest, complaint, remark];
}

/** Returns the digest of one call and its result, for a call whose turn does not return them. */
export function callDigest({ name, input }: ToolCall, outcome: ToolOutcome): string {
  return sha256Hex(JSON.stringify([name, identity(input), resultOf(outcome)])).slice(0, 12);
}

function resultOf({ isError, content, payload, addendum = '' }: ToolOutcome): unknown {
  return { isError, content: identity(content), payload: payload ?? null, addendum: withoutIds(addendum) };
}

/** A long text is identified by its hash. */
function identity(text: SpilledText): string {
  return 'text' in text ? withoutIds(text.text) : text.ref.hash;
}

/** Every delegation has its own id, which the results of delegations contain. */
function withoutIds(text: string): string {
  return text.replaceAll(/\[delegation_id [^\]]*\]/g, '');
}
