import Anthropic from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { OutputFormat } from '../../domain/prompt/output';
import type { ModelCapabilities } from '../../domain/model';
import type { ModelAnswer, ModelPort, ModelRequest } from '../dependencies';
import { anthropicFailure } from './anthropic-failures';
import { structuredOutput, toCountParams, toParams } from './anthropic-request';
import { MessageAssembler, wholeMessage } from './assemble-message';
import { partIn } from './anthropic-parts';
import { boundedFetch } from './bounded-fetch';
import { MalformedResponseError } from './provider-failure';
import { reporter } from './rate-headers';
import { callLimits, type CallLimitSettings, type ProviderCall, withTimeouts } from './with-timeouts';

/** Options of `createAnthropicModel`. */
export interface AnthropicSettings extends CallLimitSettings {
  /**
   * API key. If undefined, every call fails at once with `Model.Unauthorized` and a message that explains what to do.
   */
  readonly apiKey: string | undefined;
  /** Base URL of the API. Default: the SDK's, which is Anthropic's public API. */
  readonly baseUrl?: string | undefined;
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
export function createAnthropicModel({ apiKey, baseUrl, ...limits }: AnthropicSettings): ModelPort {
  if (apiKey === undefined) {
    const refuse = (): Promise<never> => Promise.reject(missingKey());
    return { nativeStructuredOutput, capabilities, check: refuse, reply: refuse, countTokens: refuse };
  }
  const { time, maxBytes } = callLimits(limits);
  const client = new Anthropic({
    apiKey,
    maxRetries: 0,
    fetch: boundedFetch(maxBytes),
    // The SDK would print parts of responses to the console.
    logLevel: 'off',
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
  });
  return {
    nativeStructuredOutput,
    capabilities,
    reply(request, signal) {
      const params = toParams(request);
      const { onPart, onLimits } = request;
      return withTimeouts(signal, time, anthropicFailure, (call) =>
        readReply(client, params, { ...call, onPart, onHeaders: reporter(onLimits) }),
      );
    },
    countTokens(request, signal) {
      const params = toCountParams(request);
      return withTimeouts(signal, time, anthropicFailure, async (call) => {
        const counted: unknown = await client.messages.countTokens(params, { signal: call.signal });
        return tokenCountSchema.parse(counted).input_tokens;
      });
    },
  };
}

function capabilities(): ModelCapabilities {
  return { countsTokens: true, structuredOutput: true, toolChoice: true, stopSequences: true };
}

const tokenCountSchema = z.object({ input_tokens: z.int().positive() });

async function readReply(
  client: Anthropic,
  params: Anthropic.MessageCreateParamsStreaming,
  call: ProviderCall & Pick<ModelRequest, 'onPart'> & { readonly onHeaders: ReturnType<typeof reporter> },
): Promise<ModelAnswer> {
  const response = await open(client, params, call);
  const { headers } = response;
  call.onHeaders?.(headers);
  if (headers.get('content-type')?.includes('application/json') === true) {
    return wholeMessage(withoutError(await response.json(), headers));
  }
  const message = new MessageAssembler();
  for await (const { event, data } of Stream.rawEvents(response)) {
    call.refresh();
    if (event === 'ping' || data === '') continue;
    const parsed = withoutError(parseEvent(data), headers);
    message.add(parsed);
    const part = call.onPart && partIn(parsed);
    if (part !== undefined) call.onPart?.(part);
    if (message.isComplete) break;
  }
  return message.finish();
}

/** Sends a request. A refusal has headers too. */
async function open(
  client: Anthropic,
  params: Anthropic.MessageCreateParamsStreaming,
  { signal, onHeaders }: ProviderCall & { readonly onHeaders: ReturnType<typeof reporter> },
): Promise<Response> {
  try {
    return await client.messages.create(params, { signal }).asResponse();
  } catch (error) {
    if (error instanceof Anthropic.APIError) onHeaders?.(error.headers as Headers | undefined);
    throw error;
  }
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
    'The worker has no API key of Anthropic. Set ANTHROPIC_API_KEY for the worker and restart it, then retry the waiting agents, or start the run again.',
    'Model.Unauthorized',
  );
}
