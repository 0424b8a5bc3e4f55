import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import type { ModelAnswer, ModelPort, ModelRequest } from '../ports';
import { providerFailure } from './anthropic-failures';
import { toCountParams, toParams } from './anthropic-request';

export interface AnthropicSettings {
  /** Without a key every call fails at once, with a message that says what to do. */
  readonly apiKey: string | undefined;
  readonly baseUrl?: string | undefined;
  /** A stream that is silent for longer is given up; the API sends pings well within this. */
  readonly idleTimeoutMs?: number;
}

/** About prompts that are wrapped: the API wants types for every field, and their output is described in words. */
const nativeStructuredOutput = false;

/** Claude models through the official SDK. Retries are Temporal's business, so the SDK's own are off. */
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
    'The worker has no API key. Set ANTHROPIC_API_KEY for the worker and restart it, then retry what waits, or start the run again.',
    'Model.Unauthorized',
  );
}
