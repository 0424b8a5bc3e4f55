import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import type { ModelAnswer, ModelPort, ModelRequest } from '../dependencies';
import { providerFailure } from './anthropic-failures';
import { toCountParams, toParams } from './anthropic-request';

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
}

/** Used for wrapped prompts. The API requires a type for every field, so their output is described in text instead. */
const nativeStructuredOutput = false;

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
export function createAnthropicModel({ apiKey, baseUrl, idleTimeoutMs = 120_000 }: AnthropicSettings): ModelPort {
  if (apiKey === undefined) {
    const refuse = (): Promise<never> => Promise.reject(missingKey());
    return { nativeStructuredOutput, reply: refuse, countTokens: refuse };
  }
  const client = new Anthropic({ apiKey, maxRetries: 0, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) });
  return {
    nativeStructuredOutput,
    async reply(request, signal) {
      const idle = new AbortController();
      try {
        return await streamedReply(client, request, signal, idle, idleTimeoutMs);
      } catch (error) {
        if (idle.signal.aborted) throw providerFailure(new Anthropic.APIConnectionTimeoutError());
        throw providerFailure(error);
      }
    },
    async countTokens(request, signal) {
      try {
        const counted = await client.messages.countTokens(toCountParams(request), { signal, timeout: idleTimeoutMs });
        return counted.input_tokens;
      } catch (error) {
        throw providerFailure(error);
      }
    },
  };
}

async function streamedReply(
  client: Anthropic,
  request: ModelRequest,
  signal: AbortSignal,
  idle: AbortController,
  idleTimeoutMs: number,
): Promise<ModelAnswer> {
  const watchdog = setTimeout(() => {
    idle.abort();
  }, idleTimeoutMs);
  try {
    const stream = client.messages.stream(toParams(request), { signal: AbortSignal.any([signal, idle.signal]) });
    stream.on('streamEvent', () => watchdog.refresh());
    return toAnswer(await stream.finalMessage());
  } finally {
    clearTimeout(watchdog);
  }
}

function toAnswer(message: Anthropic.Message): ModelAnswer {
  const { usage } = message;
  return {
    content: message.content,
    stopReason: message.stop_reason ?? 'end_turn',
    usage: {
      input: usage.input_tokens,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      cacheWrite: usage.cache_creation_input_tokens ?? 0,
      output: usage.output_tokens,
    },
    model: message.model,
  };
}

function missingKey(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    'The worker has no API key. Set ANTHROPIC_API_KEY for the worker and restart it, then retry the waiting agents, or start the run again.',
    'Model.Unauthorized',
  );
}
