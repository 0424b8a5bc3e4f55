import { type Estimate, estimateCall } from '../budget';
import type { Price } from '../model';
import { denseBytes, outcomeTokens } from './pending-outcome';
import type { AgentProgress } from './progress';

/** How many more tokens than one model another one may need for the same conversation. */
const otherTokenizer = 1.5;

/** Bytes around a tool result or a note: ids, names of fields, roles. */
const envelopeBytes = 200;

/** What an agent's next call depends on, apart from its progress. */
interface NextCall {
  /** Maximum output tokens of the reply. */
  readonly maxTokens: number;
  readonly price: Price | undefined;
  /** Messages from operators that it sends. */
  readonly steering: readonly string[];
}

/**
 * Returns an upper bound for an agent's next call: what the provider counted in the last one, and dense text for
 * everything that is new. Providers that can't count tokens are held to it.
 */
export function estimateNextCall(progress: AgentProgress, { maxTokens, price, steering }: NextCall): Estimate {
  const { opened, occupancy, outcomes, notes, head } = progress;
  // A conversation without a call still has to send its opening, which after a handoff contains the handoff.
  const opening = occupancy === 0 ? head.bytes : 0;
  const texts = [...notes, ...steering];
  const textBytes = texts.reduce((sum, text) => sum + denseBytes(text), 0);
  const envelopes = envelopeBytes * (outcomes.length + texts.length);
  return estimateCall({
    promptBytes: opened.prompt.bytes,
    toolBytes: opened.toolList.bytes,
    conversationTokens: conversationTokens(progress),
    newBytes: opening + 3 * outcomeTokens(outcomes) + textBytes + envelopes,
    maxTokens,
    price,
  });
}

/** Returns the tokens of the conversation so far, at most. No provider has counted the first call of another model. */
function conversationTokens({ occupancy, changes, changesTold }: AgentProgress): number {
  const isNewModel = changes.model !== undefined && !changesTold;
  return isNewModel ? Math.ceil(otherTokenizer * occupancy) : occupancy;
}
