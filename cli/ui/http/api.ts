import type { IncomingMessage, ServerResponse } from 'node:http';
import { BatonError } from '../../../client/client-errors';
import type { CommandAnswer, Hello, SearchFrame } from '../../../page/protocol';
import type { LiveStreams } from '../live/stream';
import type { EntryRange, PageCommand, PageSource } from '../page-source';
import { badRequest, HttpError, notFound, readBody, sendJson } from './answer';

/** A request below `/api/`, after its key was checked. */
export interface ApiRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Parts of the path after `/api/`, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** What the interface needs besides the source. */
export interface ApiSettings {
  readonly version: string;
  readonly isReadOnly: boolean;
}

const maxEntries = 200;
const maxEvents = 1_000;
const maxRuns = 200;

/** Answers requests of the page, and of other programs that have the key. */
export class Api {
  constructor(
    private readonly source: PageSource,
    private readonly streams: LiveStreams,
    private readonly settings: ApiSettings,
  ) {}

  async get(asked: ApiRequest): Promise<void> {
    const [first, second, third] = asked.path;
    if (first === 'stream' && second === undefined) return this.stream(asked);
    if (first === 'blob' && second !== undefined && third !== undefined) return this.blob(asked, second, third);
    if (first === 'runs' && second !== undefined && third === 'search') return this.search(asked, second);
    await sendJson(asked.request, asked.response, 200, await this.read(asked));
  }

  async post({ request, response, path }: ApiRequest): Promise<void> {
    const [first, runId, name, more] = path;
    if (first !== 'runs' || runId === undefined || !isCommand(name) || more !== undefined) throw unknownPath(path);
    const body = await readBody(request);
    if (this.settings.isReadOnly)
      throw new HttpError(403, {
        type: 'Ui.ReadOnly',
        message: 'This page only shows runs.',
        remedy: 'To decide here, start it without --read-only.',
      });
    await sendJson(request, response, 200, await this.answer(runId, { name, body }));
  }

  /** The record of what was done, or the words in which an agent refused it. */
  private async answer(runId: string, command: PageCommand): Promise<CommandAnswer> {
    try {
      return { record: (await this.source.command(runId, command)) ?? null };
    } catch (error) {
      if (error instanceof BatonError && error.type !== 'Client.NotFound' && error.type !== 'Client.NoWorker')
        return { refused: error.message };
      throw error;
    }
  }

  private async read({ path, query }: ApiRequest): Promise<unknown> {
    const [first, runId, tab] = path;
    if (path.length === 1 && first === 'hello') return this.hello();
    if (path.length === 1 && first === 'attention') return this.source.attention();
    if (path.length === 1 && first === 'runs') return this.source.runs(runsQuery(query));
    if (first !== 'runs' || runId === undefined || path.length > 3) throw unknownPath(path);
    if (tab === undefined) return this.run(runId);
    return this.tab(runId, tab, query, path);
  }

  private hello(): Hello {
    const { version, isReadOnly } = this.settings;
    const { epoch } = this.streams;
    return { ...this.source.about(), version, epoch, readOnly: isReadOnly, now: Date.now() };
  }

  private async run(runId: string): Promise<unknown> {
    const { feed, release } = await this.streams.feeds.acquire(runId);
    try {
      return feed.snapshot();
    } finally {
      release();
    }
  }

  private async tab(runId: string, tab: string, query: URLSearchParams, path: readonly string[]): Promise<unknown> {
    const agent = query.get('agent') ?? '';
    switch (tab) {
      case 'entries':
        return this.source.entries(runId, agent, entryRange(query));
      case 'prompt':
        return this.source.prompt(runId, agent);
      case 'files':
        return this.source.files(runId, agent);
      case 'artifacts':
        return this.source.artifacts(runId);
      case 'budget':
        return this.source.budget(runId, agent);
      case 'events':
        return this.source.events(runId, agent, query.get('before'), numberOf(query, 'limit', maxEvents) ?? 200);
      case 'why':
        return this.source.why(runId, agent);
      default:
        throw unknownPath(path);
    }
  }

  private async stream({ response, query }: ApiRequest): Promise<void> {
    const runId = query.get('run');
    const request = { runId: runId === '' ? null : runId, focus: query.get('focus'), after: query.get('after') };
    await this.streams.open({ ...request, list: runsQuery(query) }, response);
  }

  /** The hash is the content, so it may be kept for ever. It is never shown by the browser itself. */
  private async blob({ response, path, query }: ApiRequest, runId: string, hash: string): Promise<void> {
    if (path.length > 3) throw unknownPath(path);
    if (!/^[0-9a-f]{64}$/.test(hash)) throw badRequest('The hash must be a SHA-256 in lower-case hex.');
    const bytes = await this.source.blob(runId, hash, numberOf(query, 'bytes'));
    response.writeHead(200, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${hash.slice(0, 16)}"`,
      'Content-Length': bytes.length,
      'Cache-Control': 'private, max-age=31536000, immutable',
    });
    response.end(bytes);
  }

  /** Sends hits as they are found, until the page closes the connection. */
  private async search({ response, query }: ApiRequest, runId: string): Promise<void> {
    const text = query.get('q') ?? '';
    if (text.trim() === '') throw badRequest('Say what to search for: ?q=');
    const stopped = new AbortController();
    response.on('close', () => {
      stopped.abort();
    });
    const found = this.source.search(runId, text, stopped.signal)[Symbol.asyncIterator]();
    let next: IteratorResult<SearchFrame, unknown> = await found.next();
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'Cache-Control': 'no-store' });
    for (; next.done !== true && !stopped.signal.aborted; next = await found.next()) {
      response.write(`${JSON.stringify(next.value)}\n`);
    }
    response.end();
  }
}

const commands: readonly string[] = ['decide', 'pause', 'resume', 'steer', 'cancel'];

function isCommand(name: string | undefined): name is PageCommand['name'] {
  return name !== undefined && commands.includes(name);
}

function unknownPath(path: readonly string[]): HttpError {
  return notFound(`There is nothing at /api/${path.join('/')}.`);
}

function runsQuery(query: URLSearchParams): Parameters<PageSource['runs']>[0] {
  const text = (name: string): string | null => query.get(name) || null;
  return { state: text('state'), q: text('q'), before: text('before'), limit: numberOf(query, 'limit', maxRuns) ?? 50 };
}

function entryRange(query: URLSearchParams): EntryRange {
  const [before, after] = [numberOf(query, 'before'), numberOf(query, 'after')];
  return {
    limit: numberOf(query, 'limit', maxEntries) ?? 50,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

function numberOf(query: URLSearchParams, name: string, max = Number.MAX_SAFE_INTEGER): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`"${name}" must be a whole number.`);
  return Math.min(Number(text), max);
}
