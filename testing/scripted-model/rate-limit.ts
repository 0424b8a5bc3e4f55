import { rateLimited, type ScriptedReply } from './reply';
import type { Script, ScriptedCall } from './script';

/** What `limitRate` allows. */
export interface RateLimit {
  /** Calls per second. What was not used can be saved up for one second. */
  readonly perSecond: number;
  /** Seconds that a refused client is told to wait. Default: 1. */
  readonly retryAfterSeconds?: number;
}

/**
 * Refuses calls beyond a rate with 429, as providers do, and answers the others with the script. It is a token bucket: with
 * 20 calls per second, 20 may come at once, and then one every 50 milliseconds.
 *
 * @example
 * ```ts
 * import { limitRate, say } from 'baton-agents/testing';
 *
 * export const script = limitRate({ perSecond: 20 }, () => say('Done.'));
 * ```
 */
export function limitRate({ perSecond, retryAfterSeconds = 1 }: RateLimit, then: Script): Script {
  let available = perSecond;
  let at = performance.now();
  return (call: ScriptedCall): ScriptedReply | Promise<ScriptedReply> => {
    const now = performance.now();
    available = Math.min(perSecond, available + ((now - at) / 1_000) * perSecond);
    at = now;
    if (available < 1) return rateLimited({ retryAfterSeconds });
    available -= 1;
    return then(call);
  };
}
