import type { Message, StreamEvent } from '../api';
import type { BuiltMessage } from './build-message';
import { type BuiltReply, chunksOf, type ReportedError, type WireEvent, type WireFormat } from './format';

type ContentBlock = Message['content'][number];
type Delta = Extract<StreamEvent, { type: 'content_block_delta' }>['delta'];

/** Generates the events of a message in the API's order. */
function* eventsOf({ message, blocks }: BuiltMessage, chunkSize: number): Generator<StreamEvent> {
  yield { type: 'message_start', message: started(message) };
  for (const [index, block] of message.content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptied(block) };
    for (const delta of deltasOf(block, blocks[index]?.content ?? '', chunkSize)) {
      yield { type: 'content_block_delta', index, delta };
    }
    yield { type: 'content_block_stop', index };
  }
  yield finished(message);
  yield { type: 'message_stop' };
}

/** Returns the message as it is at its start: without content or stop reason, and with one output token. */
function started(message: Message): Message {
  return {
    ...message,
    content: [],
    stop_details: null,
    stop_reason: null,
    stop_sequence: null,
    usage: { ...message.usage, output_tokens: Math.min(1, message.usage.output_tokens) },
  };
}

function emptied(block: ContentBlock): Extract<StreamEvent, { type: 'content_block_start' }>['content_block'] {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  if (block.type === 'tool_use') return { ...block, input: {} };
  return block;
}

function* deltasOf(block: ContentBlock, written: string, chunkSize: number): Generator<Delta> {
  // The API starts a tool's input with an empty delta.
  if (block.type === 'tool_use') yield { type: 'input_json_delta', partial_json: '' };
  for (const chunk of chunksOf(written, chunkSize)) {
    if (block.type === 'text') yield { type: 'text_delta', text: chunk };
    else if (block.type === 'thinking') yield { type: 'thinking_delta', thinking: chunk };
    else yield { type: 'input_json_delta', partial_json: chunk };
  }
  if (block.type === 'thinking') yield { type: 'signature_delta', signature: block.signature };
}

function finished({ stop_details, stop_reason, stop_sequence, usage }: Message): StreamEvent {
  return {
    type: 'message_delta',
    delta: { container: null, stop_details, stop_reason, stop_sequence },
    usage: {
      input_tokens: usage.input_tokens,
      cache_creation_input_tokens: usage.cache_creation_input_tokens,
      cache_read_input_tokens: usage.cache_read_input_tokens,
      output_tokens: usage.output_tokens,
      output_tokens_details: null,
      server_tool_use: null,
    },
  };
}

/** The format of the Messages API. */
export const messagesFormat: WireFormat = {
  errorBody,
  streamError: (error, requestId) => written('error', errorBody(error, requestId)),
  keepAlive: written('ping', { type: 'ping' }),
};

/** The body of every error response, and the data of an `error` event in a stream. */
function errorBody({ type, message }: ReportedError, requestId: string): object {
  return { type: 'error', error: { type, message }, request_id: requestId };
}

/** Returns a message as it is sent. */
export function messageReply(built: BuiltMessage): BuiltReply {
  return {
    whole: built.message,
    *events(chunkSize) {
      for (const event of eventsOf(built, chunkSize)) yield toWire(event);
    },
  };
}

function toWire(event: StreamEvent): WireEvent {
  const { type } = event;
  // The API sends its first ping right after the start of the message.
  const ping = type === 'message_start' ? messagesFormat.keepAlive : '';
  return {
    text: `${written(type, event)}${ping}`,
    isDelta: type === 'content_block_delta',
    isLast: type === 'message_stop',
  };
}

function written(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
