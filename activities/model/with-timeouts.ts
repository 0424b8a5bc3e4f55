import type { ApplicationFailure } from '@temporalio/common';
import type { ModelRequest } from '../dependencies';
import { listenWhileReading } from './bounded-fetch';
import { timedOut } from './provider-failure';
import { reporter } from './rate-headers';

/** One request to a provider. */
export interface ProviderCall {
  readonly signal: AbortSignal;
  /** Called whenever something has arrived. */
  readonly refresh: () => void;
}

/** Limits of the time that a call may take. */
export interface TimeLimits {
  /** Milliseconds without anything from the provider after which the call is aborted. */
  readonly idleMs: number;
  /** Milliseconds that the call may take in total, however much arrives. */
  readonly totalMs: number;
}

/** Limits of a call to a provider. Every adapter has them as options. */
export interface CallLimitSettings {
  /** Milliseconds without an event after which a call is aborted. Default: 120,000. */
  readonly idleTimeoutMs?: number;
  /**
   * Milliseconds that a call may take in total, however much arrives. Default: 840,000, which is a minute less than the
   * engine allows.
   */
  readonly callTimeoutMs?: number;
  /** Longest response in bytes, after decompression. Default: 64 MiB. */
  readonly maxResponseBytes?: number;
}

/** Applies the defaults to the limits of a call. */
export function callLimits({
  idleTimeoutMs = 120_000,
  callTimeoutMs = 840_000,
  maxResponseBytes = 64 * 1024 * 1024,
}: CallLimitSettings): { readonly time: TimeLimits; readonly maxBytes: number } {
  return { time: { idleMs: idleTimeoutMs, totalMs: callTimeoutMs }, maxBytes: maxResponseBytes };
}

/** Aborts a call that takes too long or from which nothing arrives, and converts its errors to typed failures. */
export async function withTimeouts<T>(
  signal: AbortSignal,
  { idleMs, totalMs }: TimeLimits,
  toFailure: (error: unknown) => ApplicationFailure,
  work: (call: ProviderCall) => Promise<T>,
  onLimits?: ModelRequest['onLimits'],
): Promise<T> {
  const late = new AbortController();
  const abort = (): void => {
    late.abort();
  };
  const timers = [setTimeout(abort, idleMs), setTimeout(abort, totalMs)] as const;
  const call = { signal: AbortSignal.any([signal, late.signal]), refresh: () => timers[0].refresh() };
  listenWhileReading(call.signal, { refresh: call.refresh, onHeaders: reporter(onLimits) });
  try {
    return await work(call);
  } catch (error) {
    throw late.signal.aborted ? timedOut() : toFailure(error);
  } finally {
    timers.forEach(clearTimeout);
  }
}
