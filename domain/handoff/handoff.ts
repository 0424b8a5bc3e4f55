import type { HandoffRecord } from './record';
import type { AgentSettings } from '../agent/agent-settings';
import type { BlobRef } from '../store/blob-ref';
import type { ToolOutcome } from '../tool/call';
import { outcomeTokens, type AgentProgress } from '../agent/progress';

interface StoredHandoff {
  /** Head of the new conversation's transcript. */
  readonly head: BlobRef;
  readonly artifact: { readonly name: string };
  readonly artifactTokens: number;
}

/** Returns the agent's progress after a handoff. Session, files and budget stay; the conversation starts over. */
export function afterHandoff(progress: AgentProgress, stored: StoredHandoff, at: string): AgentProgress {
  const { handoffs, changes, calls } = progress;
  const record: HandoffRecord = {
    number: handoffs.length + 1,
    artifact: stored.artifact.name,
    discardedTokens: progress.occupancy,
    artifactTokens: stored.artifactTokens,
    afterCall: calls,
    at,
  };
  return {
    ...progress,
    head: stored.head,
    handoffs: [...handoffs, record],
    occupancy: 0,
    outcomes: [],
    notes: [],
    repairing: false,
    // The new transcript starts from the original settings, so it must record an operator's changes again.
    changesTold: Object.keys(changes).length === 0,
  };
}

/** Share of the context window that tool results may take in the handoff call. */
const shareForResults = 0.1;

/**
 * Replaces results that no longer fit into the context window by a note. The agent can repeat the calls after the
 * handoff.
 */
export function dropOversizedOutcomes(progress: AgentProgress, { model }: Pick<AgentSettings, 'model'>): AgentProgress {
  let room = Math.floor(shareForResults * model.window);
  const outcomes = progress.outcomes.map((outcome) => {
    const tokens = outcomeTokens([outcome]);
    if (tokens <= room) {
      room -= tokens;
      return outcome;
    }
    return withheld(outcome, tokens);
  });
  return { ...progress, outcomes };
}

function withheld({ callId, isError }: ToolOutcome, tokens: number): ToolOutcome {
  const text = `[Not shown: about ${tokens} tokens, and your context window is full. If it is needed, name the call in next_steps.]`;
  return { callId, isError, content: { text } };
}
