import type { HandoffRecord } from './record';

/** How many tokens of conversation one token of the artifact stands for. */
export function compression({ discardedTokens, artifactTokens }: HandoffRecord): number {
  return artifactTokens === 0 ? 0 : discardedTokens / artifactTokens;
}
