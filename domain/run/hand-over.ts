import type { HandoffRecord } from '../handoff/record';
import type { AgentSettings } from '../agent/settings';
import type { BlobRef } from '../store/blob-ref';
import type { ToolOutcome } from '../tool/call';
import { outcomeTokens, type AgentProgress } from './progress';

interface Taken {
  /** Transcript of the fresh agent. */
  readonly head: BlobRef;
  readonly artifact: { readonly name: string };
  readonly artifactTokens: number;
}

/** The agent with its memory wiped: what it was given and made stays, what it said and read is gone. */
export function afterHandoff(progress: AgentProgress, taken: Taken, at: string): AgentProgress {
  const { handoffs, changes, calls } = progress;
  const record: HandoffRecord = {
    number: handoffs.length + 1,
    artifact: taken.artifact.name,
    discardedTokens: progress.occupancy,
    artifactTokens: taken.artifactTokens,
    afterCall: calls,
    at,
  };
  return {
    ...progress,
    head: taken.head,
    handoffs: [...handoffs, record],
    occupancy: 0,
    outcomes: [],
    notes: [],
    repairing: false,
    // The new transcript begins with what the agent was opened with.
    changesTold: Object.keys(changes).length === 0,
  };
}

/** What is left of the window for tool results in the last call before a handoff. */
const shareForResults = 0.1;

/** Results that no longer fit are not told: the fresh agent can ask for them again. */
export function withholdOutcomes(progress: AgentProgress, { model }: Pick<AgentSettings, 'model'>): AgentProgress {
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
  const text = `[Not shown: about ${tokens} tokens, and your window is full. Name the call under next steps if it is needed.]`;
  return { callId, isError, content: { text } };
}
