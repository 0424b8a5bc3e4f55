import { sha256 } from './digest';
import type { Boundary } from './usage/rendered-prompt';

/** Binds a thinking block to everything before it, so that a history that was edited or reordered is noticed. */
export function signThinking(thinking: string, before: Boundary): string {
  return sha256('thinking', before.digest, thinking);
}
