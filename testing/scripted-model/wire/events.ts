import { errorBody, type Message, type StreamEvent } from '../api';
import type { BuiltMessage } from './build-message';
import type { Exchange } from './exchange';

type ContentBlock = Message['content'][number];
type Delta = Extract<StreamEvent, { type: 'content_block_delta' }>['delta'];

/** Generates the events of a message in the API's order. */
export function* eventsOf({ message, blocks }: BuiltMessage, chunkSize: number): Generator<StreamEvent> {
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

/** Splits a text by code points, so that no chunk ends in the middle of a character. */
function* chunksOf(text: string, size: number): Generator<string> {
  const points = Array.from(text);
  for (let at = 0; at < points.length; at += size) yield points.slice(at, at + size).join('');
}

const pingEveryMs = 5_000;

/** A stream of server-sent events that keeps the connection alive with pings while the model is slow. */
export interface EventStream {
  send(event: string, data: object): void;
  fail(type: string, message: string): void;
  end(): void;
  release(): void;
}

/** Sends the headers of a stream and returns it. */
export function openEventStream({ response, requestId }: Exchange): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': requestId,
  });
  const write = (event: string, data: object): void => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const ping = (): void => {
    write('ping', { type: 'ping' });
  };
  const timer = setInterval(ping, pingEveryMs);
  return {
    send: (event, data) => {
      write(event, data);
      // The API sends its first ping right after the start of the message.
      if (event === 'message_start') ping();
    },
    fail: (type, message) => {
      write('error', errorBody(type, message, requestId));
      response.end();
    },
    end: () => {
      response.end();
    },
    release: () => {
      clearInterval(timer);
    },
  };
}
