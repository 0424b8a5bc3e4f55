import Anthropic from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { OutputFormat } from '../../domain/prompt/output';
import type { ModelAnswer, ModelPort } from '../dependencies';
import { providerFailure } from './anthropic-failures';
import { structuredOutput, toCountParams, toParams } from './anthropic-request';
import { MalformedResponseError, MessageAssembler, wholeMessage } from './assemble-message';
import { boundedFetch } from './bounded-fetch';

/** Options of `createAnthropicModel`. */
export interface AnthropicSettings {
  /**
   * API key. If undefined, every call fails at once with `Model.Unauthorized` and a message that explains what to do.
   */
  readonly apiKey: string | undefined;
  /** Base URL of the API. Default: the SDK's, which is Anthropic's public API. */
  readonly baseUrl?: string | undefined;
  /**
   * Milliseconds without an event after which a call is aborted. Default: 120,000. The API sends pings much more often.
   */
  readonly idleTimeoutMs?: number;
  /**
   * Milliseconds that a call may take in total, however much arrives. Default: 840,000, which is a minute less than the
   * engine allows.
   */
  readonly callTimeoutMs?: number;
  /** Longest response in bytes, after decompression. Default: 64 MiB. */
  readonly maxResponseBytes?: number;
}

function nativeStructuredOutput({ json }: OutputFormat): boolean {
  return json !== undefined && structuredOutput(json) !== undefined;
}

/**
 * Creates the built-in model adapter: Claude models through the official SDK. The SDK's retries are off, because
 * Temporal retries model calls.
 *
 * @example
 * ```ts
 * import { createAnthropicModel } from 'baton-agents/worker';
 *
 * export const model = createAnthropicModel({ apiKey: process.env['ANTHROPIC_API_KEY'] });
 * ```
 */
export function createAnthropicModel({
  apiKey,
  baseUrl,
  idleTimeoutMs = 120_000,
  callTimeoutMs = 840_000,
  maxResponseBytes = 64 * 1024 * 1024,
}: AnthropicSettings): ModelPort {
  if (apiKey === undefined) {
    const refuse = (): Promise<never> => Promise.reject(missingKey());
    return { nativeStructuredOutput, reply: refuse, countTokens: refuse };
  }
  const client = new Anthropic({
    apiKey,
    maxRetries: 0,
    fetch: boundedFetch(maxResponseBytes),
    // The SDK would print parts of responses to the console.
    logLevel: 'off',
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
  });
  const limits = { idleMs: idleTimeoutMs, totalMs: callTimeoutMs };
  return {
    nativeStructuredOutput,
    reply(request, signal) {
      const params = toParams(request);
      return withTimeouts(signal, limits, (call) => readReply(client, params, call));
    },
    countTokens(request, signal) {
      const params = toCountParams(request);
      return withTimeouts(signal, limits, async (call) => {
        const counted: unknown = await client.messages.countTokens(params, { signal: call.signal });
        return tokenCountSchema.parse(counted).input_tokens;
      });
    },
  };
}

const tokenCountSchema = z.object({ input_tokens: z.int().positive() });

/** One request to the provider. */
interface ProviderCall {
  readonly signal: AbortSignal;
  /** Called whenever something has arrived. */
  readonly refresh: () => void;
}

/** Limits of the time that a call may take. */
interface TimeLimits {
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Aborts a call that takes too long or from which nothing arrives, and converts its errors to typed failures. */
async function withTimeouts<T>(
  signal: AbortSignal,
  { idleMs, totalMs }: TimeLimits,
  work: (call: ProviderCall) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const abort = (): void => {
    late.abort();
  };
  const timers = [setTimeout(abort, idleMs), setTimeout(abort, totalMs)] as const;
  try {
    return await work({ signal: AbortSignal.any([signal, late.signal]), refresh: () => timers[0].refresh() });
  } catch (error) {
    if (late.signal.aborted) throw providerFailure(new Anthropic.APIConnectionTimeoutError());
    throw providerFailure(error);
  } finally {
    timers.forEach(clearTimeout);
  }
}

async function readReply(
  client: Anthropic,
  params: Anthropic.MessageCreateParamsStreaming,
  call: ProviderCall,
): Promise<ModelAnswer> {
  const response = await client.messages.create(params, { signal: call.signal }).asResponse();
  const { headers } = response;
  if (headers.get('content-type')?.includes('application/json') === true) {
    return wholeMessage(withoutError(await response.json(), headers));
  }
  const message = new MessageAssembler();
  for await (const { event, data } of Stream.rawEvents(response)) {
    call.refresh();
    if (event === 'ping' || data === '') continue;
    message.add(withoutError(parseEvent(data), headers));
    if (message.isComplete) break;
  }
  return message.finish();
}

/** Throws an error that the provider reports after it has sent the status of a success. */
function withoutError<T>(body: T, headers: Headers): T {
  const isError = typeof body === 'object' && body !== null && 'type' in body && body.type === 'error';
  if (isError) throw new Anthropic.APIError(undefined, body, undefined, headers);
  return body;
}

function parseEvent(data: string): object {
  const event: unknown = JSON.parse(data);
  if (typeof event !== 'object' || event === null) throw new MalformedResponseError('an event is not an object');
  return event;
}

function missingKey(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    'The worker has no API key. Set ANTHROPIC_API_KEY for the worker and restart it, then retry the waiting agents, or start the run again.',
    'Model.Unauthorized',
  );
}
