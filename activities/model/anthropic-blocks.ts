import type { Json } from '../../domain/kernel';
import type { ContentBlock, Message, ProviderData, ReplyBlock, StopReason } from '../../domain/model';

/** A content block of the Messages API. */
export type ApiBlock = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A message of the Messages API. */
export interface ApiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ApiBlock[];
}

/** Marks the provider data of this adapter. */
const providerName = 'anthropic';

/**
 * Translates a block of a reply. Fields without a neutral meaning, such as signatures and citations, become provider
 * data, and so do blocks of other types, such as redacted thinking. The result is empty for a block that the API would
 * not accept back: thinking without a signature, and a tool result.
 */
export function fromApiBlock({ type, ...fields }: ApiBlock): readonly ReplyBlock[] {
  switch (type) {
    case 'text': {
      const { text, ...rest } = fields;
      return [{ type: 'text', text: asText(text), ...dataOf(rest) }];
    }
    case 'thinking': {
      const { thinking, ...rest } = fields;
      if (typeof thinking !== 'string' || asText(rest['signature']) === '') return [];
      return [{ type: 'thinking', text: thinking, ...dataOf(rest) }];
    }
    case 'tool_use': {
      const { id, name, input = null, ...rest } = fields;
      return [{ type: 'toolCall', id: asText(id), name: asText(name), input: input as Json, ...dataOf(rest) }];
    }
    case 'tool_result':
      return [];
    default:
      return [{ type: 'opaque', provider: { name: providerName, data: { type, ...fields } } }];
  }
}

/** Everything here was parsed from JSON. */
function dataOf(fields: Readonly<Record<string, unknown>>): { readonly provider?: ProviderData } {
  return Object.keys(fields).length === 0 ? {} : { provider: { name: providerName, data: fields as Json } };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'done',
  tool_use: 'toolCalls',
  max_tokens: 'outputLimit',
  model_context_window_exceeded: 'contextExceeded',
  refusal: 'refused',
  pause_turn: 'paused',
  stop_sequence: 'stopSequence',
};

/** Translates a stop reason. Some servers send none at the end of a message. */
export function fromApiStopReason(reason: unknown): StopReason {
  if (typeof reason !== 'string') return 'done';
  return (Object.hasOwn(stopReasons, reason) ? stopReasons[reason] : undefined) ?? 'other';
}

/** Translates messages. Blocks that only another provider understands, and messages of nothing else, are left out. */
export function toApiMessages(messages: readonly Message[]): readonly ApiMessage[] {
  return messages
    .map(({ role, content }) => ({ role, content: content.flatMap(role === 'user' ? toUserBlock : toReplyBlock) }))
    .filter(({ content }) => content.length > 0);
}

function toUserBlock(block: ContentBlock): readonly ApiBlock[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type !== 'toolResult') return [];
  const { callId, isError, text } = block;
  return [
    {
      type: 'tool_result',
      tool_use_id: callId,
      ...(isError ? { is_error: true } : {}),
      // The API rejects an empty text.
      content: text === '' ? '(empty)' : text,
    },
  ];
}

function toReplyBlock(block: ContentBlock): readonly ApiBlock[] {
  switch (block.type) {
    case 'text':
      return [restored(block.provider, { type: 'text', text: block.text })];
    case 'toolCall': {
      const { id, name, input, provider } = block;
      return [restored(provider, { type: 'tool_use', id, name, input })];
    }
    case 'thinking':
      return isOwn(block.provider) ? [restored(block.provider, { type: 'thinking', thinking: block.text })] : [];
    case 'opaque':
      return isOwn(block.provider) ? [block.provider.data as ApiBlock] : [];
    case 'toolResult':
      return [];
  }
}

function isOwn(provider: ProviderData | undefined): provider is ProviderData {
  return provider?.name === providerName;
}

/**
 * Restores a block from its neutral fields and its provider data. Its keys are sorted, as they are in transcripts, so
 * that every request repeats the bytes of the one before and the provider's cache recognizes them.
 */
function restored(provider: ProviderData | undefined, neutral: ApiBlock): ApiBlock {
  const fields = { ...(isOwn(provider) ? (provider.data as object) : {}), ...neutral };
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted) as ApiBlock;
}
