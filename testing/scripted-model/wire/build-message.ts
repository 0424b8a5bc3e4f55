import type { Message, TokenUsage } from '../api';
import type { CallUsage } from '../reply';
import { type Boundary, extend, signThinking } from '../prompt-usage';
import type { FinishedAnswer, OutBlock } from './finish-answer';

type ContentBlock = Message['content'][number];

/** A complete message, and the text of each block as it is streamed. */
export interface BuiltMessage {
  readonly message: Message;
  readonly blocks: readonly OutBlock[];
  /** End of the conversation including this message. */
  readonly end: Boundary;
}

/** Builds the response message of a finished reply. */
export function buildMessage(
  id: string,
  model: string,
  finished: FinishedAnswer,
  usage: CallUsage & { readonly ttl: '5m' | '1h' },
  promptEnd: Boundary,
): BuiltMessage {
  let end = promptEnd;
  const content = finished.blocks.map((block): ContentBlock => {
    const built = toContentBlock(block, end);
    end = extend(end, 'assistant', built);
    return built;
  });
  const { blocks, stopReason, stopSequence } = finished;
  const refused = stopReason === 'refusal';
  const message: Message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    container: null,
    diagnostics: null,
    stop_details: refused ? { type: 'refusal', category: null, explanation: null } : null,
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage: toUsage(usage),
  };
  return { message, blocks, end };
}

function toContentBlock(block: OutBlock, before: Boundary): ContentBlock & { type: 'text' | 'thinking' | 'tool_use' } {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.content, citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: block.content, signature: signThinking(block.content, before) };
    case 'tool_use':
      return {
        type: 'tool_use',
        id: block.id,
        name: block.name,
        input: parseOrEmpty(block.content),
        caller: { type: 'direct' },
      };
  }
}

/** A limit may have truncated the JSON. Without a stream, the API cannot show the part that was written. */
function parseOrEmpty(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function toUsage({ ttl, ...usage }: CallUsage & { readonly ttl: '5m' | '1h' }): TokenUsage {
  const written = usage.cache_creation_input_tokens;
  return {
    ...usage,
    cache_creation: {
      ephemeral_5m_input_tokens: ttl === '5m' ? written : 0,
      ephemeral_1h_input_tokens: ttl === '1h' ? written : 0,
    },
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    speed: null,
  };
}
