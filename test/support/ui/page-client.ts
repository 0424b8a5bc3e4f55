import { request, type IncomingHttpHeaders } from 'node:http';
import type { UiServer } from '../../../cli/ui/http/ui-server';
import type { Frame } from '../../../page/protocol';

/** An answer of the page's server. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: () => unknown;
}

/** What a request of a test has. Its key is the right one unless it says otherwise. */
export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Key to send; null for none. */
  readonly key?: string | null;
}

/** Sends one request. Unlike `fetch`, it can send any header, as an attacker's program could. */
export function ask({ port, key: right }: UiServer, path: string, options: AskOptions = {}): Promise<Answer> {
  const key = options.key === undefined ? right : options.key;
  const headers = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...options.headers };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method: options.method ?? 'GET', headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: response.headers, text, json: () => JSON.parse(text) as unknown });
      });
    });
    sent.on('error', reject);
    sent.end(options.body);
  });
}

/** Sends a command to the server and returns its answer. */
export function post(server: UiServer, path: string, body: unknown, options: AskOptions = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...options.headers };
  return ask(server, path, { method: 'POST', body: JSON.stringify(body), ...options, headers });
}

/** An open stream of frames. */
export interface OpenStream {
  /** Frames that have arrived. */
  readonly frames: readonly Frame[];
  /** Frames with their id, as they were sent. */
  readonly ids: readonly (string | null)[];
  /** Stops or starts reading, as a page does that is busy. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a stream of frames, like a page. */
export function openStream({ port, key }: UiServer, query: string): Promise<OpenStream> {
  const frames: Frame[] = [];
  const ids: (string | null)[] = [];
  let rest = '';
  const read = (chunk: string): void => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const line = (name: string): string | undefined =>
        block
          .split('\n')
          .find((each) => each.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      frames.push(JSON.parse(line('data') ?? '') as Frame);
      ids.push(line('id') ?? null);
    }
  };
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const sent = request({ host: '127.0.0.1', port, path: `/api/stream?${query}`, headers }, (response) => {
      response.setEncoding('utf8');
      response.on('data', read);
      response.on('error', () => undefined);
      resolve({
        frames,
        ids,
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => void sent.destroy(),
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
