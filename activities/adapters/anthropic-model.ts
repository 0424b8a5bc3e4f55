import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import type { Message } from '../../domain/model/messages';
import type { ModelAnswer, ModelPort, ModelRequest } from '../ports';
import { providerFailure } from './anthropic-failures';

export interface AnthropicSettings {
  /** Without a key every call fails at once, with a message that says what to do. */
  readonly apiKey: string | undefined;
  readonly baseUrl?: string | undefined;
  /** A stream that is silent for longer is given up; the API sends pings well within this. */
  readonly idleTimeoutMs?: number;
}

/** The API wants types for every field, and the output of a prompt is described in words. */
const nativeStructuredOutput = false;

type StreamParams = Parameters<Anthropic['messages']['stream']>[0];

/** Claude models through the official SDK. Retries are Temporal's business, so the SDK's own are off. */
export function createAnthropicModel({ apiKey, baseUrl, idleTimeoutMs = 120_000 }: AnthropicSettings): ModelPort {
  if (apiKey === undefined) return { nativeStructuredOutput, reply: () => Promise.reject(missingKey()) };
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

function toParams({ settings, system, tools, messages }: ModelRequest): StreamParams {
  return {
    model: settings.name,
    max_tokens: settings.maxTokens,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    // Tools and system text never change within an agent: the first cache breakpoint stands at their end.
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    ...(tools.length === 0 ? {} : { tools: tools.map(toToolParam) }),
    messages: withCacheBreakpoint(messages) as unknown as StreamParams['messages'],
  };
}

function toToolParam({
  name,
  description,
  inputSchema,
}: ModelRequest['tools'][number]): NonNullable<StreamParams['tools']>[number] {
  return { name, description, input_schema: inputSchema as Anthropic.Tool.InputSchema };
}

/** A second breakpoint moves along with the conversation, so that a turn pays only for what it adds. */
function withCacheBreakpoint(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last === undefined || block === undefined) return messages;
  const marked = { ...block, cache_control: { type: 'ephemeral' } };
  return [...messages.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), marked] }];
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
    'The worker has no API key. Set ANTHROPIC_API_KEY for the worker and restart it, then start the run again.',
    'Model.Unauthorized',
  );
}
