import { sha256 } from '../digest';
import type { Boundary } from './rendered-prompt';

/**
 * Signs a thinking block together with everything before it, so that an edited or reordered conversation is detected.
 */
export function signThinking(thinking: string, before: Boundary): string {
  return sha256('thinking', before.digest, thinking);
}
