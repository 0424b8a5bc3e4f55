import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import { batonRun } from '../../../client/agent/run-handle';
import { BatonError } from '../../../client/client-errors';
import { readStoredRun } from '../../../client/record/stored-run';
import { type ListedRun, RunLister } from '../../../client/view/list-runs';
import { pathOf } from '../../../client/view/reduce-event';
import type { RunSink } from '../../../client/view/run-view';
import { storedView } from '../../../client/view/stored-view';
import { watchRun } from '../../../client/view/watch-run';
import { diagnose } from '../../../client/why';
import { owningRunId, parseAgentId, runWorkflowId } from '../../../domain/kernel';
import type { Store } from '../../../domain/store';
import type { Attention, Hello, RunList, SearchFrame, WhyView } from '../../../page/protocol';
import { unreachable, whyNotServer } from '../../from-store';
import { ConnectionFailedError } from '../../../temporal-config/node/setup-error';
import type { EntryRange, PageCommand, PageSource, RunsQuery } from '../page-source';
import { sendCommand } from './commands';
import { RunReader } from './run-reader';

/** Where a source reads. */
export interface LibrarySources {
  /** Null while no server can be reached: then only the store is read. */
  readonly client: Client | null;
  /** Store of the workers; undefined when it can't be read here. */
  readonly store: Store | undefined;
  readonly about: Pick<Hello, 'address' | 'namespace' | 'user' | 'webUi'>;
  /** Why no server was found, and what to do: one or two sentences. Default: that it does not answer. */
  readonly whyNoServer?: string;
  /** Whether runs are read once, as for a report, and need not be kept up to date. Default: false. */
  readonly isReadOnce?: boolean;
}

const keptReaders = 8;
/** How often a server is tried that did not answer when a run was opened. */
const outageMs = 3_000;
const noServer = 'The Temporal server does not answer.';
const onlyStored = 'The list is from the store: what runs do now is unknown.';
const maxIncidents = 100;

/** Reads runs with the library, so it works with every server and store that the command line works with. */
export class LibrarySource implements PageSource {
  private lister: RunLister;
  /** Lists what the store has, while no server answers. */
  private readonly stored: RunLister;
  private readonly readers = new LRUCache<string, RunReader>({ max: keptReaders });

  constructor(private sources: LibrarySources) {
    this.stored = new RunLister(null, sources.store);
    this.lister = sources.client === null ? this.stored : new RunLister(sources.client, sources.store);
  }

  /** Reads from a server that answers now, where only the store was read before. */
  connect(found: Pick<LibrarySources, 'client' | 'about'>): void {
    this.sources = { ...this.sources, ...found, whyNoServer: noServer };
    this.lister = new RunLister(found.client, this.sources.store);
    this.readers.clear();
  }

  about(): ReturnType<PageSource['about']> {
    return this.sources.about;
  }

  async runs({ state, q, before, limit, also }: RunsQuery): Promise<RunList> {
    const { lister, all, gaps } = await this.listed();
    const found = all.filter((run) => isIn(run, state) && hasText(run, q));
    const start = before === null ? 0 : found.findIndex(({ runId }) => runId === before) + 1;
    const page = found.slice(start, start + limit);
    const hasMore = start + limit < found.length;
    const others = also === undefined ? [] : all.filter((run) => also.has(run.runId) && !page.includes(run));
    return {
      runs: await lister.complete([...page, ...others]),
      counts: countsOf(all),
      next: hasMore ? (page.at(-1)?.runId ?? null) : null,
      gaps,
    };
  }

  /** All runs; while the server does not answer, those of the store. */
  private async listed(): Promise<Pick<RunList, 'gaps'> & { lister: RunLister; all: readonly ListedRun[] }> {
    const { lister, stored } = this;
    const { client, store, whyNoServer = noServer } = this.sources;
    try {
      if (client !== null) return { lister, all: await lister.list(), gaps: [] };
    } catch (error) {
      if (store === undefined || !isAway(error)) throw error;
    }
    return { lister: stored, all: await stored.list(), gaps: [`${whyNoServer} ${onlyStored}`] };
  }

  async attention(): Promise<Attention> {
    const open = await this.lister.openIncidents();
    const incidents = open.map(({ workflowId, id, since }) => {
      return { runId: owningRunId(workflowId), path: pathOf(workflowId), id, since };
    });
    return { count: open.length, oldest: open[0]?.since ?? null, incidents: incidents.slice(0, maxIncidents) };
  }

  async follow(runId: string, sink: RunSink, signal: AbortSignal): Promise<void> {
    const { client } = this.sources;
    const reader = this.reader(runId);
    const { store, figures, listeners, rootStatus } = reader;
    try {
      if (client === null) throw new ConnectionFailedError(noServer, '');
      await watchRun({ client, store, figures, rootStatus, ...listeners }, runId, sink, signal);
    } catch (error) {
      const reason = whyNotServer(error, runWorkflowId(runId));
      const run = reason !== undefined && store !== undefined ? await readStoredRun(store) : undefined;
      if (run === undefined) throw error;
      sink.begin(await storedView(run, reason === unreachable));
      while (!signal.aborted) {
        await delay(outageMs, undefined, { signal }).catch(() => undefined);
        // What only the store has does not change. A server that was away may be back.
        const { client: found } = this.sources;
        if (found !== null && reason === unreachable)
          await watchRun({ client: found, store }, runId, continuing(sink), signal).catch(() => undefined);
      }
    }
  }

  entries(runId: string, agent: string, range: EntryRange): ReturnType<PageSource['entries']> {
    return this.reader(runId).entries(agent, range);
  }

  speaking(runId: string, agent: string): ReturnType<PageSource['speaking']> {
    return this.reader(runId).speaking(agent);
  }

  blob(runId: string, hash: string, bytes?: number): Promise<Uint8Array> {
    return this.reader(runId).blob(hash, bytes);
  }

  prompt(runId: string, agent: string): ReturnType<PageSource['prompt']> {
    return this.reader(runId).prompt(agent);
  }

  files(runId: string, agent: string): ReturnType<PageSource['files']> {
    return this.reader(runId).files(agent);
  }

  artifacts(runId: string): ReturnType<PageSource['artifacts']> {
    return this.reader(runId).artifacts();
  }

  budget(runId: string, agent: string): ReturnType<PageSource['budget']> {
    return this.reader(runId).budget(agent);
  }

  events(runId: string, agent: string, before: string | null, limit: number): ReturnType<PageSource['events']> {
    return this.reader(runId).eventPage(agent, before, limit);
  }

  forget(runId: string, agent: string): void {
    this.reader(runId).forget(agent);
  }

  async why(runId: string, agent: string): Promise<WhyView> {
    const workflowId = agent === '' ? runWorkflowId(runId) : `${runWorkflowId(runId)}/${agent}`;
    const { verdict, message, remedy, commands, remarks } = await diagnose(this.server(), workflowId);
    return { verdict, message, remedy, commands, remarks };
  }

  search(runId: string, text: string, signal: AbortSignal): AsyncIterable<SearchFrame> {
    return this.reader(runId).search(text, signal);
  }

  command(runId: string, command: PageCommand): Promise<unknown> {
    const { about } = this.sources;
    return sendCommand(batonRun(this.server(), owningRunId(parseAgentId(runId))), command, about.user);
  }

  private server(): Client {
    if (this.sources.client !== null) return this.sources.client;
    throw new BatonError('Client.NotFound', 'The server can’t be reached.', 'Check the connection with: baton doctor');
  }

  private reader(runId: string): RunReader {
    const { client, store, isReadOnce } = this.sources;
    // Throws for what is not a run id, before it becomes part of a path.
    const checked = owningRunId(parseAgentId(runId));
    const known = this.readers.get(checked) ?? new RunReader(client, store?.forRun(checked), checked, isReadOnce);
    this.readers.set(checked, known);
    return known;
  }
}

function isAway(error: unknown): boolean {
  return whyNotServer(error, '') === unreachable;
}

type Group = keyof RunList['counts'];

/** Undefined if nobody knows: such a run is in the whole list only. */
function groupOf({ state }: Pick<ListedRun, 'state'>): Exclude<Group, 'all'> | undefined {
  if (state === 'unknown') return undefined;
  if (state === 'needs you') return 'needs you';
  if (state === 'failed') return 'failed';
  return state === 'running' || state === 'waiting' || state === 'paused' ? 'running' : 'done';
}

/** Accepts a state, or a group of states that the list can be filtered by. */
function isIn(run: ListedRun, state: string | null): boolean {
  const wanted = state?.replace('-', ' ') ?? 'all';
  return wanted === 'all' || run.state === wanted || groupOf(run) === wanted;
}

function hasText({ goal, title, runId }: ListedRun, text: string | null): boolean {
  return text === null || `${goal}\n${title}\n${runId}`.toLowerCase().includes(text.toLowerCase());
}

function countsOf(all: readonly ListedRun[]): RunList['counts'] {
  const counts = { all: all.length, 'needs you': 0, running: 0, failed: 0, done: 0 };
  for (const run of all) {
    const group = groupOf(run);
    if (group !== undefined) counts[group] += 1;
  }
  return counts;
}

/** Passes a run on to a sink that already shows something of it. */
function continuing(sink: RunSink): RunSink {
  return {
    begin: ({ agents, ...view }) => {
      sink.change({ ...view, rows: agents, touched: agents.map(({ path }) => path) });
    },
    change: (update) => {
      sink.change(update);
    },
  };
}
