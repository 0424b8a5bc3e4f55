import type { ModelRequest, RequestBlock, RequestMessage } from '../api';
import { type ChatMessage, type ChatRequest, type ChatTool, type ChatToolChoice, contentText } from './api';

/** Start of a tool message that reports an error. This API has no other way to mark one. */
const errorMark = 'Error: ';

/**
 * Converts a request to the format of the Messages API, in which scripts see every request. Tool messages become tool
 * results in a user message, as there.
 */
export function toMessagesRequest(request: ChatRequest, maxTokens: number): ModelRequest {
  const { tools = [], stop, tool_choice: choice, response_format: format } = request;
  const system = request.messages.flatMap(systemText);
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  const schema = format?.type === 'json_schema' ? format.json_schema.schema : undefined;
  return {
    model: request.model,
    max_tokens: request.max_tokens ?? request.max_completion_tokens ?? maxTokens,
    ...(system.length === 0 ? {} : { system: system.map((text) => ({ type: 'text', text })) }),
    messages: toMessages(request.messages),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(choice === undefined ? {} : { tool_choice: toToolChoice(choice) }),
    ...(stops.length === 0 ? {} : { stop_sequences: [...stops] }),
    ...(typeof request.temperature === 'number' ? { temperature: request.temperature } : {}),
    ...(schema === undefined ? {} : { output_config: { format: { type: 'json_schema', schema } } }),
    stream: request.stream === true,
  };
}

function systemText(message: ChatMessage): readonly string[] {
  return message.role === 'system' || message.role === 'developer' ? [contentText(message.content)] : [];
}

/** Joins adjacent messages of one role. */
function toMessages(messages: readonly ChatMessage[]): RequestMessage[] {
  const joined: { role: 'user' | 'assistant'; content: RequestBlock[] }[] = [];
  for (const message of messages) {
    const content = blocksOf(message);
    if (content.length === 0) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = joined.at(-1);
    if (last?.role === role) last.content.push(...content);
    else joined.push({ role, content: [...content] });
  }
  return joined;
}

const knownBlocks = new WeakMap<ChatMessage, readonly RequestBlock[]>();

/** Converts each message once: the log stores one copy of a message that many requests repeat. */
function blocksOf(message: ChatMessage): readonly RequestBlock[] {
  const blocks = knownBlocks.get(message) ?? toBlocks(message);
  knownBlocks.set(message, blocks);
  return blocks;
}

function toBlocks(message: ChatMessage): readonly RequestBlock[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [];
    case 'user':
      return textBlocks(message.content);
    case 'assistant':
      return [
        ...textBlocks(message.content ?? ''),
        ...(message.tool_calls ?? []).map((call): RequestBlock => ({
          type: 'tool_use',
          id: call.id,
          name: call.function.name,
          input: JSON.parse(call.function.arguments),
        })),
      ];
    case 'tool': {
      const text = contentText(message.content);
      const isError = text.startsWith(errorMark);
      const content = isError ? text.slice(errorMark.length) : text;
      return [
        { type: 'tool_result', tool_use_id: message.tool_call_id, content, ...(isError ? { is_error: true } : {}) },
      ];
    }
  }
}

function textBlocks(content: Exclude<ChatMessage['content'], null | undefined>): readonly RequestBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.map(({ text }) => ({ type: 'text', text }));
}

type Tool = Extract<NonNullable<ModelRequest['tools']>[number], { input_schema: unknown }>;

function toTool({ function: { name, description, parameters = { type: 'object' } } }: ChatTool): Tool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: parameters as Tool['input_schema'],
  };
}

function toToolChoice(choice: ChatToolChoice): NonNullable<ModelRequest['tool_choice']> {
  if (choice === 'required') return { type: 'any' };
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', name: choice.function.name };
}
