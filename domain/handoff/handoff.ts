import {
  type AgentProgress,
  type AgentSettings,
  defaultHandoff,
  type HandoffRecord,
  type HandoffSettings,
  outcomeTokens,
  withheld,
} from '../agent';
import type { BlobRef } from '../store';

/** Returns when, and how often, an agent hands off. Every reader of these settings gets their defaults here. */
export function handoffSettings({ handoff = defaultHandoff }: Pick<AgentSettings, 'handoff'>): HandoffSettings {
  return handoff;
}

/** Returns the context usage, in whole tokens, above which an agent hands off. */
export function handoffThreshold(settings: Pick<AgentSettings, 'handoff' | 'model'>): number {
  return Math.floor(handoffSettings(settings).at * settings.model.window);
}

/** Share of the handoff threshold that must be free when an agent starts. */
const shareForWork = 0.1;

/**
 * Returns the maximum tokens of a new agent's prompt and tools. They must leave room to work below the handoff threshold,
 * or the agent would hand off before it has done anything, and room for the longest reply.
 */
export function maxOpeningTokens(settings: Pick<AgentSettings, 'handoff' | 'model'>): number {
  const { window, maxTokens } = settings.model;
  return Math.min(Math.floor((1 - shareForWork) * handoffThreshold(settings)), window - maxTokens);
}

interface StoredHandoff {
  /** Head of the new conversation's transcript. */
  readonly head: BlobRef;
  readonly artifact: { readonly name: string };
  readonly artifactTokens: number;
}

/** Returns the agent's progress after a handoff. Session, files and budget stay; the conversation starts over. */
export function afterHandoff(progress: AgentProgress, stored: StoredHandoff, at: string): AgentProgress {
  const { told: _told, repetition: _repetition, ...kept } = progress;
  const { handoffs, changes, calls } = kept;
  const record: HandoffRecord = {
    number: handoffs.length + 1,
    artifact: stored.artifact.name,
    discardedTokens: progress.occupancy,
    artifactTokens: stored.artifactTokens,
    afterCall: calls,
    at,
  };
  return {
    ...kept,
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
    return withheld(outcome);
  });
  return { ...progress, outcomes };
}

/** Maximum bytes of one tool result in any context window; about 25,000 tokens. */
export const maxToolResultBytes = 100 * 1024;
/** Minimum limit for one tool result. A shorter result would be useless to the model. */
export const minToolResultBytes = 4 * 1024;

/**
 * Returns the maximum bytes of one tool result, so that a single result can't push an agent with an empty conversation
 * past its handoff threshold. This is about a third of the usable context window, at 3 bytes per token.
 */
export function maxResultBytesFor(settings: Pick<AgentSettings, 'handoff' | 'model'>): number {
  return Math.min(maxToolResultBytes, Math.max(minToolResultBytes, handoffThreshold(settings)));
}
