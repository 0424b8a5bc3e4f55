import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelPort } from '../../dependencies';
import { type AiSdkSettings, createAiSdkModel } from '../ai-sdk/ai-sdk-model';
import { boundedFetch } from '../bounded-fetch';
import { callLimits } from '../with-timeouts';

/** Options of `createOpenAiCompatibleModel`. */
export interface OpenAiCompatibleSettings extends AiSdkSettings {
  /** Base URL of the API, usually ending in `/v1`. */
  readonly baseUrl: string;
  /** API key, sent as a bearer token. Default: none, which most local servers accept. */
  readonly apiKey?: string | undefined;
  /** Headers of every request, in addition to the usual ones. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Field of a request that limits the length of the reply. Default: `max_tokens`, which all servers know except
   * OpenAI's own for its newer models.
   */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
}

/**
 * Creates a model port for a server that speaks OpenAI's Chat Completions API: OpenAI itself, a local server such as
 * Ollama, vLLM or llama.cpp, or a gateway.
 *
 * @example
 * ```ts
 * import { createOpenAiCompatibleModel } from 'baton-agents/worker';
 *
 * export const model = createOpenAiCompatibleModel({ baseUrl: 'http://127.0.0.1:8000/v1' });
 * ```
 */
export function createOpenAiCompatibleModel(settings: OpenAiCompatibleSettings): ModelPort {
  const { baseUrl, apiKey, headers, maxTokensField = 'max_tokens', provider: name = 'openai', ...more } = settings;
  const provider = createOpenAICompatible({
    name,
    baseURL: baseUrl,
    includeUsage: true,
    supportsStructuredOutputs: more.supports?.structuredOutput ?? false,
    fetch: boundedFetch(callLimits(more).maxBytes),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(maxTokensField === 'max_tokens' ? {} : { transformRequestBody: renameMaxTokens }),
  });
  return createAiSdkModel((modelId) => provider.chatModel(modelId), { ...more, provider: name });
}

function renameMaxTokens({ max_tokens: limit, ...body }: Record<string, unknown>): Record<string, unknown> {
  return { ...body, max_completion_tokens: limit };
}
