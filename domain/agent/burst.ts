import { type Allowance, estimateCall, shortfallFor } from '../budget';
import { costOf, totalTokens, type Usage } from '../model';
import type { SessionEvent } from '../tool';
import type { Burst } from './call-contract';
import { envelopeBytes } from './next-call';
import { isStored } from './pending-outcome';
import type { AgentProgress } from './progress';
import { expandUsage, type RunTurnInput, type Turn, type Turns } from './turn-contract';

/** Maximum turns that an activity takes by itself. */
export const maxBurstTurns = 8;

/** Maximum characters of the results of all turns, as JSON. */
const maxBurstCharacters = 20_000;

/** The turns of a burst so far, and the longest reply that the model may give. */
interface BurstSoFar {
  readonly turns: readonly Turn[];
  /** Maximum output tokens of a reply. */
  readonly maxTokens: number;
}

/** Whether an activity may take another turn. The workflow has to judge everything else. */
export function mayGoOn({ turns: maxTurns, window, budget, price }: Burst, { turns, maxTokens }: BurstSoFar): boolean {
  const last = turns.at(-1);
  if (last === undefined || turns.length >= maxTurns || !isQuiet(last) || repeats(turns)) return false;
  if (JSON.stringify(turns).length > maxBurstCharacters) return false;
  const ran = last.ran ?? [];
  const next = estimateCall({
    promptBytes: 0,
    toolBytes: 0,
    conversationTokens: totalTokens(expandUsage(last.lastUsage ?? last.usage)),
    newBytes: ran.reduce((sum, { bytes }) => sum + bytes + envelopeBytes, 0),
    maxTokens,
    price,
  });
  if (next.tokens - maxTokens > window) return false;
  return budget === undefined || shortfallFor(next, leftOf(budget, turns, price)) === undefined;
}

/** Whether every session accepts the event. Of others the model has to learn whether they were accepted. */
function isAccepted({ type, value }: SessionEvent): boolean {
  if (type === 'noteAdded') return typeof value === 'object' && value !== null && !('kind' in value);
  return type === 'artifactWritten';
}

/** Whether a turn leaves nothing to the workflow that the next one depends on. */
function isQuiet({ stopReason, ran = [], calls }: Turn): boolean {
  return (
    stopReason === 'toolCalls' &&
    calls === undefined &&
    ran.length > 0 &&
    ran.every(
      ({ changes, seen, events = [] }) => changes === undefined && seen === undefined && events.every(isAccepted),
    )
  );
}

/** Whether the last turn did the same as an earlier one. The workflow decides how often an agent may do that. */
function repeats(turns: readonly Turn[]): boolean {
  const [last, ...earlier] = turns.map(({ ran = [] }) => ran.map(({ digest }) => digest).join()).reverse();
  return last !== undefined && earlier.includes(last);
}

function leftOf(budget: Allowance, turns: readonly Turn[], price: Burst['price']): Allowance {
  const spent = turns.map(({ usage }) => expandUsage(usage));
  const less = (bound: number | undefined, amount: (usage: Usage) => number): number | undefined =>
    bound === undefined ? undefined : spent.reduce((left, usage) => left - amount(usage), bound);
  const tokens = less(budget.tokens, totalTokens);
  const microUsd = less(budget.microUsd, (usage) => (price === undefined ? 0 : costOf(price, usage)));
  return { ...(tokens === undefined ? {} : { tokens }), ...(microUsd === undefined ? {} : { microUsd }) };
}

/** Returns the input of the turn that follows one in a burst. The workflow would build the same. */
export function nextInBurst(input: RunTurnInput, { head, ran = [] }: Turn): RunTurnInput {
  const { identity, inside } = input;
  return {
    runId: input.runId,
    storeId: input.storeId,
    head,
    identity: { ...identity, call: identity.call + 1 },
    ...(ran.length === 0 ? {} : { told: { ran: identity.try } }),
    ...(inside === undefined ? {} : { inside }),
    ...(input.paidOnly === undefined ? {} : { paidOnly: input.paidOnly }),
    ...(input.unsaved === undefined ? {} : { unsaved: input.unsaved }),
  };
}

/** Returns all turns that an activity took, in order. */
export function turnsOf({ more = [], failed: _failed, ...first }: Turns): readonly Turn[] {
  return [first, ...more];
}

/** Returns what the model has not been told, because the next turn was taken before the workflow knew of it. */
export function untoldInBurst({ notes, outcomes }: Pick<AgentProgress, 'notes' | 'outcomes'>): readonly string[] {
  const complaints = outcomes.flatMap((outcome) => (isStored(outcome) ? (outcome.verdict?.complaint ?? []) : []));
  return [...notes, ...complaints.map((complaint) => `Not recorded after all:\n${complaint}`)];
}
