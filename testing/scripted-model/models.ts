import type { ModelInfo } from './api';

/** A model that the server offers. */
export interface ModelSpec {
  /** Id by which requests name the model. */
  readonly id: string;
  /** Context window in tokens. A longer prompt is refused. */
  readonly maxInputTokens: number;
  /** Maximum tokens of one reply. */
  readonly maxTokens: number;
  /** Whether `temperature`, `top_p` and `top_k` are accepted; newer models refuse them. Default: false. */
  readonly sampling?: boolean;
  /** Whether the client may supply the start of the reply as a final assistant message. Default: false. */
  readonly prefill?: boolean;
}

/**
 * Creates a model with the usual limits: a context window of 1,000,000 tokens and replies of at most 128,000. `more` overrides them; tests of very long runs use a practically unlimited
 * context window.
 */
export function modelSpec(id: string, more: Partial<Omit<ModelSpec, 'id'>> = {}): ModelSpec {
  return { id, maxInputTokens: 1_000_000, maxTokens: 128_000, ...more };
}

/** The current models, by the names that the SDK knows, and `scripted`, for clients of the Chat Completions API. */
export const defaultModels: readonly ModelSpec[] = [
  modelSpec('claude-opus-5-5'),
  modelSpec('claude-sonnet-5-5'),
  modelSpec('claude-haiku-5-5', { maxInputTokens: 200_000, maxTokens: 64_000 }),
  modelSpec('claude-opus-5'),
  modelSpec('claude-sonnet-5'),
  modelSpec('claude-opus-4-8'),
  modelSpec('claude-opus-4-7'),
  modelSpec('claude-opus-4-6', { sampling: true }),
  modelSpec('claude-sonnet-4-6', { maxTokens: 64_000, sampling: true }),
  modelSpec('claude-haiku-4-5', { maxInputTokens: 200_000, maxTokens: 64_000, sampling: true, prefill: true }),
  modelSpec('scripted', { sampling: true }),
];

/** Returns a model by id; undefined when the server does not offer it. */
export function findSpec(models: readonly ModelSpec[], id: string): ModelSpec | undefined {
  return models.find((candidate) => candidate.id === id);
}

const yes = { supported: true };
const no = { supported: false };

const capabilities: NonNullable<ModelInfo['capabilities']> = {
  batch: no,
  citations: no,
  code_execution: no,
  context_management: {
    supported: false,
    clear_thinking_20251015: no,
    clear_tool_uses_20250919: no,
    compact_20260112: no,
  },
  effort: { supported: true, low: yes, medium: yes, high: yes, xhigh: yes, max: yes },
  image_input: no,
  pdf_input: no,
  server_tools: { supported: false, code_execution: no, web_search: no },
  structured_outputs: yes,
  thinking: { supported: true, types: { adaptive: yes, between_tools: no, disabled: yes, enabled: no } },
};

/** Returns a model in the format of the API. */
export function modelInfo(model: ModelSpec): ModelInfo {
  return {
    type: 'model',
    id: model.id,
    display_name: model.id,
    created_at: '2026-01-01T00:00:00Z',
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line: null,
    max_input_tokens: model.maxInputTokens,
    max_tokens: model.maxTokens,
    capabilities,
  };
}
