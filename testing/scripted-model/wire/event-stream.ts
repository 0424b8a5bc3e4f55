import { errorBody } from '../api';
import type { Exchange } from './exchange';

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
