import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

type Fault = 'none' | 'cut' | 'busy' | 'full' | 'conflict' | 'stall' | 'delay' | 'serialize';

/** What a server answers instead of doing what it is asked for. */
const refusals = {
  busy: { status: 503, code: 'SlowDown', message: 'Please reduce your request rate.' },
  full: { status: 507, code: 'InsufficientStorage', message: 'The disk is full.' },
  conflict: { status: 409, code: 'ConditionalRequestConflict', message: 'Another request is under way.' },
} as const;

/** Passes on requests of a client to an S3 server, and lets requests fail. */
export class FaultyProxy {
  private fault: Fault = 'none';
  private remaining = 0;
  private delayMs = 0;
  /** The last request for each path: with `serialize`, the next one waits for it. */
  private readonly last = new Map<string, Promise<void>>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer((incoming, answer) => void proxy.handle(incoming, answer));
    const proxy = new FaultyProxy(server, new URL(target));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts the connection of this number of uploads while they are under way. */
  cutUploads(count: number): void {
    [this.fault, this.remaining] = ['cut', count];
  }

  /** Answers this number of requests with 503 SlowDown. Empty uploads pass. */
  answerBusy(count: number): void {
    [this.fault, this.remaining] = ['busy', count];
  }

  /** Answers all uploads with 507 InsufficientStorage. */
  answerFull(): void {
    [this.fault, this.remaining] = ['full', Infinity];
  }

  /** Answers this number of uploads that must not replace an object as if another request were writing it. */
  answerConflict(count: number): void {
    [this.fault, this.remaining] = ['conflict', count];
  }

  /** Passes on requests after a while. */
  delay(ms: number): void {
    [this.fault, this.delayMs] = ['delay', ms];
  }

  /** Does not answer. */
  stall(): void {
    this.fault = 'stall';
  }

  /** Passes on requests for a path one after the other, as a server that keeps the condition would treat them. */
  serialize(): void {
    this.fault = 'serialize';
  }

  heal(): void {
    this.fault = 'none';
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const isUpload = incoming.method === 'PUT' && Number(incoming.headers['content-length']) > 0;
    if (this.fault === 'stall') return;
    if (this.fault === 'cut' && isUpload && this.remaining-- > 0) {
      incoming.once('data', () => incoming.socket.destroy());
      return;
    }
    if (this.fault in refusals && this.refuses(incoming, isUpload) && this.remaining-- > 0) {
      const { status, code, message } = refusals[this.fault as keyof typeof refusals];
      incoming.resume();
      answer.writeHead(status, { 'content-type': 'application/xml' });
      answer.end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
      return;
    }
    if (this.fault === 'delay') await sleep(this.delayMs);
    if (this.fault !== 'serialize') return this.pass(incoming, answer);
    const path = incoming.url ?? '';
    const body = Readable.from([await buffer(incoming)]);
    const turn = (this.last.get(path) ?? Promise.resolve()).then(() => this.pass(incoming, answer, body));
    this.last.set(path, turn);
    await turn;
  }

  private refuses({ method, headers }: IncomingMessage, isUpload: boolean): boolean {
    if (this.fault === 'conflict') return headers['if-none-match'] !== undefined;
    return isUpload || (this.fault === 'busy' && method === 'GET');
  }

  private pass(incoming: IncomingMessage, answer: ServerResponse, body: Readable = incoming): Promise<void> {
    const { hostname, port } = this.target;
    const { method, url: path, headers } = incoming;
    return new Promise((resolve) => {
      const outgoing = request({ hostname, port, method, path, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
        response.once('close', resolve);
      });
      outgoing.once('error', () => {
        answer.destroy();
        resolve();
      });
      incoming.once('error', () => outgoing.destroy());
      body.pipe(outgoing);
    });
  }
}
