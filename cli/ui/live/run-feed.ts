import { applyChange, mergeChanges } from '../../../client/view/changes';
import type { AgentChange, AgentRow, RunUpdate, RunView } from '../../../client/view/run-view';
import type { RunSnapshot } from '../../../page/protocol';
import type { PageSource } from '../page-source';

/** Shortest time between two numbered updates. */
const flushMs = 100;
/** How much of the past can be sent again to a page that reconnects. */
const maxLogged = 5_000;
const maxLoggedBytes = 2 * 1024 * 1024;

interface Logged {
  readonly seq: number;
  readonly update: RunUpdate;
  readonly bytes: number;
}

/** Called after every numbered update. */
export type FeedListener = (update: RunUpdate) => void;

/** Follows one run, once for all pages that show it, and numbers what changes. */
export class RunFeed {
  /** Resolves when the run can be shown; rejects if it can't be read. */
  readonly ready: Promise<void>;
  private readonly stopped = new AbortController();
  private readonly rows = new Map<string, AgentRow>();
  private readonly listeners = new Set<FeedListener>();
  private readonly log: Logged[] = [];
  private loggedBytes = 0;
  private rest: Omit<RunView, 'agents'> | undefined;
  private pending: RunUpdate | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    source: PageSource,
    readonly runId: string,
    /** Number of the last update. */
    public seq: number,
  ) {
    this.ready = new Promise((resolve, reject) => {
      const begin = ({ agents, ...rest }: RunView): void => {
        for (const row of agents) this.rows.set(row.path, row);
        this.rest = rest;
        resolve();
      };
      const change = (update: RunUpdate): void => {
        this.add(update);
      };
      source.follow(runId, { begin, change }, this.stopped.signal).then(() => {
        reject(new Error('The run is no longer followed.'));
      }, reject);
    });
    this.ready.catch(() => undefined);
  }

  /** Returns the run as it was at the last numbered update. */
  snapshot(): RunSnapshot {
    if (this.rest === undefined) throw new Error('The run has not been read yet.');
    return { ...this.rest, agents: [...this.rows.values()], seq: this.seq };
  }

  /** Returns an agent as it was at the last numbered update. */
  row(path: string): AgentRow | undefined {
    return this.rows.get(path);
  }

  /** Combines all updates after a number; undefined if they are no longer known. */
  since(seq: number): RunUpdate | undefined {
    if (seq === this.seq) return { rows: [], touched: [] };
    const first = this.log.findIndex((logged) => logged.seq === seq + 1);
    if (first === -1) return undefined;
    return this.log
      .slice(first)
      .reduce<RunUpdate | undefined>((all, { update }) => mergeUpdates(all, update), undefined);
  }

  /** Returns these agents with all of their fields, and everything else about the run. */
  whole(paths: ReadonlySet<string>): RunUpdate {
    const rows = [...paths].flatMap((path) => this.rows.get(path) ?? []);
    return { ...this.rest, rows, touched: [] };
  }

  listen(listener: FeedListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.stopped.abort();
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  private add(update: RunUpdate): void {
    this.pending = mergeUpdates(this.pending, update);
    this.timer ??= setTimeout(() => {
      this.flush();
    }, flushMs);
  }

  private flush(): void {
    const update = this.pending;
    this.timer = undefined;
    this.pending = undefined;
    if (update === undefined) return;
    for (const change of update.rows) this.rows.set(change.path, applyChange(this.rows.get(change.path), change));
    const { rows: _rows, touched: _touched, ...rest } = update;
    if (this.rest !== undefined) this.rest = { ...this.rest, ...rest };
    this.seq += 1;
    this.remember(update);
    for (const listener of [...this.listeners]) listener(update);
  }

  private remember(update: RunUpdate): void {
    const bytes = JSON.stringify(update).length;
    this.log.push({ seq: this.seq, update, bytes });
    this.loggedBytes += bytes;
    while (this.log.length > maxLogged || (this.loggedBytes > maxLoggedBytes && this.log.length > 1)) {
      this.loggedBytes -= this.log.shift()?.bytes ?? 0;
    }
  }
}

/** Combines two updates of a run. Later values replace earlier ones. */
function mergeUpdates(earlier: RunUpdate | undefined, later: RunUpdate): RunUpdate {
  if (earlier === undefined) return later;
  const rows = new Map<string, AgentChange>(earlier.rows.map((change) => [change.path, change]));
  for (const change of later.rows) rows.set(change.path, mergeChanges(rows.get(change.path), change));
  const touched = [...new Set([...earlier.touched, ...later.touched])];
  return { ...earlier, ...later, rows: [...rows.values()], touched };
}
