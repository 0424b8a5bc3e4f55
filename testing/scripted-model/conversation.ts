import type { ModelRequest, RequestBlock, RequestMessage } from './api';

/** The result of a tool call, as sent to the model. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** A tool call of the conversation. `result` is undefined until the client has sent it. */
export interface ToolExchange {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly result: ToolResult | undefined;
}

/** The parts of a request that scripts usually need. */
export interface ConversationView {
  readonly systemText: string;
  /** Number of assistant messages so far. */
  readonly turn: number;
  /** Tool results in the last user message. */
  readonly toolResults: readonly ToolResult[];
  /** All tool calls of the conversation, in order. */
  readonly toolExchanges: readonly ToolExchange[];
  /** Text of the last user message that contains text. */
  readonly lastUserText: string;
  /** Text of the first user message that contains text. */
  readonly firstUserText: string;
}

/** Extracts from a request what scripts usually need. */
export function viewConversation(request: ModelRequest): ConversationView {
  const users = request.messages.filter((message) => message.role === 'user');
  const userTexts = users.map((message) => textOf(message.content)).filter((text) => text !== '');
  return {
    systemText: textOf(request.system ?? ''),
    turn: request.messages.filter((message) => message.role === 'assistant').length,
    toolResults: resultsIn(users.slice(-1)),
    toolExchanges: exchangesIn(request.messages),
    lastUserText: userTexts.at(-1) ?? '',
    firstUserText: userTexts[0] ?? '',
  };
}

/** Returns the content blocks of a message; a plain string is one text block. */
export function blocksOf(message: RequestMessage): readonly RequestBlock[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

function textOf(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => ('text' in block && typeof block.text === 'string' ? [block.text] : [])).join('\n');
}

function resultsIn(messages: readonly RequestMessage[]): ToolResult[] {
  return messages
    .flatMap(blocksOf)
    .flatMap((block) =>
      block.type === 'tool_result'
        ? [{ toolUseId: block.tool_use_id, text: textOf(block.content ?? ''), isError: block.is_error ?? false }]
        : [],
    );
}

function exchangesIn(messages: readonly RequestMessage[]): ToolExchange[] {
  const results = new Map(resultsIn(messages).map((result) => [result.toolUseId, result]));
  return messages
    .flatMap(blocksOf)
    .flatMap((block) =>
      block.type === 'tool_use'
        ? [{ id: block.id, name: block.name, input: block.input, result: results.get(block.id) }]
        : [],
    );
}
