import type { HandoffRecord } from '../../domain/agent';

/** Returns the compression ratio of a handoff: discarded tokens of conversation per token of the artifact. */
export function compression({ discardedTokens, artifactTokens }: HandoffRecord): number {
  return artifactTokens === 0 ? 0 : discardedTokens / artifactTokens;
}
