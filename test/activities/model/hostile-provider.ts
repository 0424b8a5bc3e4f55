import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request, in any way it likes. */
export type Respond = (response: ServerResponse) => void;

/** A provider on loopback that answers with whatever a test wants, and not with what the API would send. */
export interface HostileProvider {
  readonly baseUrl: string;
  /** Number of requests so far. */
  readonly requests: number;
  answerWith(respond: Respond): void;
  close(): Promise<void>;
}

export async function startHostileProvider(): Promise<HostileProvider> {
  let respond: Respond = (response) => response.destroy();
  let requests = 0;
  const server = createServer({ keepAlive: false }, (request, response) => {
    requests += 1;
    response.on('error', () => undefined);
    request.resume().on('end', () => {
      respond(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    answerWith: (next) => {
      respond = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Events of a stream, in the order of the API. */
export type Events = readonly Readonly<Record<string, unknown>>[];

export const usual: Events = [
  {
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], usage: { input_tokens: 9 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
];

/** Events of a reply with one tool call, whose input is this text. */
export function toolCall(json: string, more: Readonly<Record<string, unknown>> = {}): Events {
  const start = { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: {}, ...more };
  const [begin = {}, , , , , end = {}] = usual;
  return [
    begin,
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
    end,
  ];
}

/** `1e999` is a number in JSON text that no value of JavaScript is written as. */
export function eventStream(events: Events): string {
  return events
    .map((event) => {
      const name = typeof event['type'] === 'string' ? event['type'] : 'unknown';
      return `event: ${name}\ndata: ${JSON.stringify(event).replaceAll('"1e999"', '1e999')}\n\n`;
    })
    .join('');
}

export const sse = { 'content-type': 'text/event-stream' };

/** Sends a stream of these events. */
export function streaming(events: Events): Respond {
  return (response) => response.writeHead(200, sse).end(eventStream(events));
}
