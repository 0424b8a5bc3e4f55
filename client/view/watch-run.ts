import type { Client } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { readRootMemo, rootTitle, type StatusSnapshot } from '../../domain/agent';
import { mapWithLimit, runWorkflowId } from '../../domain/kernel';
import type { RunStore } from '../../domain/store';
import { readSpilled } from '../../store/blobs';
import { agentExecutions, agentsQuery, skilledQuery, subtreeQuery } from '../agent/find-agent';
import { describeRun, queryAgentStatus } from '../agent/outcome';
import { BatonError } from '../client-errors';
import type { LogEntry } from '../event/agent-log';
import { readEvents, readLog } from '../event/read-events';
import type { RunEvent } from '../event/record';
import { oneLine } from '../format';
import { FiguresReader } from '../spending/run-figures';
import { pathOf } from './reduce-event';
import { relayView } from './relay-view';
import { budgetOf, pricesOf, readRunStart, relayFactsOf, type RunStart } from './run-facts';
import { type RunHeading, runRow } from './run-row';
import { RunReducer } from './run-reducer';
import type { AgentRow, RunSink, RunUpdate, RunView } from './run-view';
import { WorkerWatch } from './worker-watch';

/** Where a run is read. */
export interface ViewSources {
  readonly client: Client;
  /** Part of the store of the run's workers; undefined when it can't be read here. */
  readonly store: RunStore | undefined;
  /** Called with the events that were read at first, and the cursor after them. If it is omitted, they are not kept. */
  readonly onRead?: (events: readonly RunEvent[], cursor: string) => void;
  /** Called with the entries of the log that these events describe. */
  readonly onEntry?: ((entry: LogEntry) => void) | undefined;
  /** Reads what the agents consumed. Default: a reader of its own. */
  readonly figures?: FiguresReader | undefined;
  /** What the root says about itself, if it was asked already. Default: it is asked when that is needed. */
  readonly rootStatus?: Promise<StatusSnapshot | undefined> | undefined;
}

/** Shortest time between two looks at what events don't tell. */
const tickMs = 100;
/** How often what a run consumed and which skills it has are read again while events come in. */
const factsMs = 1_000;
/** How often a run that has ended is looked at, because it can be retried. */
const restMs = 3_000;
const maxConcurrent = 12;
const queryMs = 5_000;

const outage = 'The Temporal server does not answer. What is shown is from before.';
const gone = 'The server no longer has this run. What is shown is from before.';
/** How often what could not be read yet is looked at, although nothing happens. */
const againMs = 3_000;

/**
 * Reads a run from its events until the signal aborts. Gives the sink everything first, and then what
 * changes. Rejects if the run does not exist. If the server is lost later, that is reported as a gap, and reading
 * continues after the last event when it is back.
 */
export async function watchRun(sources: ViewSources, runId: string, sink: RunSink, signal: AbortSignal): Promise<void> {
  const watched = await WatchedRun.open(sources, runId, signal);
  sink.begin(watched.view());
  await watched.follow(sink);
}

class WatchedRun {
  private readonly figures: FiguresReader;
  private readonly workers: WorkerWatch;
  private cursor: string | undefined;
  private root: StatusSnapshot | undefined;
  private gaps: string[] = [];
  private factsAt = 0;
  /** Whether something could not be read yet, or was left to the next look. */
  private isBehind = false;

  private constructor(
    private readonly sources: ViewSources,
    private readonly heading: RunHeading,
    private readonly start: RunStart,
    private readonly reducer: RunReducer,
    private readonly signal: AbortSignal,
  ) {
    const { client, store } = sources;
    this.figures = sources.figures ?? new FiguresReader({ client, openStore: store && (() => Promise.resolve(store)) });
    this.workers = new WorkerWatch(client, heading.runId);
    if (store === undefined) this.gaps.push('The store can’t be read here: texts are missing.');
  }

  static async open(sources: ViewSources, runId: string, signal: AbortSignal): Promise<WatchedRun> {
    const { client } = sources;
    const { memo } = await describeRun(client, runId);
    const described = readRootMemo(memo);
    const title = rootTitle(described);
    const headline = oneLine(described.goal ?? title, 200);
    const begin = async (execution: string, startedAt: number): Promise<WatchedRun> => {
      const start = await readRunStart(client, runWorkflowId(runId), execution);
      const reducer = new RunReducer(headline, pricesOf(start), start.relay === undefined);
      const heading = { runId, goal: described.goal ?? '', title, startedAt };
      return new WatchedRun(sources, heading, start, reducer, signal);
    };
    const events: RunEvent[] = [];
    let cursor: string | undefined;
    const onEnd = (last: string): void => {
      cursor = last;
      sources.onRead?.(events, last);
    };
    let watched: WatchedRun | undefined;
    for await (const event of readLog(client, runId, undefined, { signal, onEnd, onEntry: sources.onEntry })) {
      watched ??= await begin(event.kind === 'agent.started' ? event.execution : '', Date.parse(event.at));
      watched.reducer.apply(event);
      if (sources.onRead !== undefined) events.push(event);
    }
    watched ??= await begin('', Date.now());
    watched.cursor = cursor;
    await watched.readFacts();
    await watched.readIncidents();
    return watched;
  }

  /** Returns everything. What changes from then on is given to the sink. */
  view(): RunView {
    const agents = this.reducer.takeAll();
    return { ...this.summary(agents), agents, incidents: this.reducer.incidents() };
  }

  /** What is shown about the run as a whole. */
  private summary(agents: readonly AgentRow[] = this.reducer.rows()): Omit<RunView, 'agents' | 'incidents'> {
    const relay = relayView(relayFactsOf(this.start), this.root?.relay, agents);
    const progress = this.root?.relay === undefined ? undefined : relay?.progress;
    return {
      run: runRow({ ...this.heading, progress }, agents, this.reducer.incidents()),
      relay: relay?.view ?? null,
      budget: budgetOf(this.start, this.root),
      gaps: this.allGaps(),
    };
  }

  private allGaps(): readonly string[] {
    return [...this.gaps, ...(this.workers.gap === undefined ? [] : [this.workers.gap])];
  }

  async follow(sink: RunSink): Promise<void> {
    let wait = tickMs;
    const isStopped = (): boolean => this.signal.aborted;
    while (!isStopped()) {
      try {
        await this.followOnce(sink);
        wait = tickMs;
        await delay(restMs, undefined, { signal: this.signal });
      } catch (error) {
        if (isStopped()) return;
        const isGone = error instanceof BatonError && error.type === 'Client.NotFound';
        this.report(sink, [isGone ? gone : outage]);
        wait = Math.min(wait * 2, 5_000);
        await delay(wait, undefined, { signal: this.signal }).catch(() => undefined);
      }
    }
  }

  private report(sink: RunSink, gaps: readonly string[]): void {
    const others = this.gaps.filter((gap) => gap !== outage && gap !== gone);
    this.gaps = [...others, ...gaps];
    this.reportGaps(sink);
  }

  private reportGaps(sink: RunSink): void {
    sink.change({ rows: [], touched: [], gaps: this.allGaps() });
  }

  /** Reads events until the run has ended. */
  private async followOnce(sink: RunSink): Promise<void> {
    const { client } = this.sources;
    if (this.gaps.includes(outage) || this.gaps.includes(gone)) {
      // Throws while the server is away. Nothing may happen to the run for hours, so this does not wait for an event.
      await describeRun(client, this.heading.runId);
      this.report(sink, []);
    }
    let ticking: Promise<void> | undefined;
    const tick = (): void => {
      ticking ??= delay(tickMs)
        .then(() => this.tick(sink))
        .catch(() => undefined)
        .finally(() => (ticking = undefined));
    };
    const onEnd = (last: string): void => void (this.cursor = last);
    const options = { follow: true, signal: this.signal, onEnd };
    const again = setInterval(() => {
      if (this.isBehind) tick();
      void this.workers.look().then((hasChanged) => {
        if (hasChanged && !this.signal.aborted) this.reportGaps(sink);
      });
    }, againMs);
    try {
      for await (const event of readEvents(client, this.heading.runId, this.cursor, options)) {
        this.reducer.apply(event);
        this.workers.hear();
        tick();
      }
    } finally {
      clearInterval(again);
    }
    await ticking;
    await this.tick(sink, true);
    // Nobody needs to answer for a run that has ended.
    if (this.workers.gap === undefined) return;
    this.workers.gap = undefined;
    this.reportGaps(sink);
  }

  private async tick(sink: RunSink, isLast = false): Promise<void> {
    await this.readIncidents();
    const readsFacts = isLast || Date.now() - this.factsAt > factsMs;
    if (readsFacts) await this.readFacts();
    this.isBehind = !readsFacts || this.reducer.undescribedIncidents().length > 0;
    const { rows, touched, incidentsChanged } = this.reducer.take();
    if (rows.length === 0 && touched.length === 0 && !incidentsChanged) return;
    const { run, relay, budget } = this.summary();
    const update: RunUpdate = { rows, touched, run, relay, budget };
    sink.change(incidentsChanged ? { ...update, incidents: this.reducer.incidents() } : update);
  }

  /** Reads what events don't tell: exact figures, names of skills, and what the root says about itself. */
  private async readFacts(): Promise<void> {
    this.factsAt = Date.now();
    const rootId = runWorkflowId(this.heading.runId);
    const { client, store } = this.sources;
    if (store !== undefined) await this.readFigures().catch(() => undefined);
    const skilled = `${subtreeQuery(rootId)} AND ${agentsQuery} AND ${skilledQuery}`;
    for (const { workflowId, skill } of await agentExecutions(client, skilled).catch(() => [])) {
      if (skill !== null) this.reducer.describe(pathOf(workflowId), { role: skill });
    }
    const { model, limits, budget, relay } = this.start;
    this.reducer.describe('', {
      ...(limits?.maxTurns === undefined || relay !== undefined ? {} : { maxTurns: limits.maxTurns }),
      ...(model?.name === undefined || relay !== undefined ? {} : { model: model.name }),
    });
    const root = this.reducer.rows()[0];
    const isAsked = relay !== undefined || budget !== undefined;
    if (isAsked && (root?.endedAt === null || this.root === undefined))
      this.root = (await (this.sources.rootStatus ?? queryAgentStatus(client, rootId, queryMs))) ?? this.root;
  }

  private async readFigures(): Promise<void> {
    const rootId = runWorkflowId(this.heading.runId);
    const figures = await this.figures.read(() => {
      throw new Error('The store has no answers of this run.');
    });
    this.reducer.setFigures((path) => figures.of(path === '' ? rootId : `${rootId}/${path}`).own);
  }

  private async readIncidents(): Promise<void> {
    const rootId = runWorkflowId(this.heading.runId);
    let isAnswered = true;
    await mapWithLimit(this.reducer.undescribedIncidents(), maxConcurrent, async (path) => {
      // If no worker answers for one agent, none is asked for the others.
      if (!isAnswered) return;
      const workflowId = path === '' ? rootId : `${rootId}/${path}`;
      const snapshot = await queryAgentStatus(this.sources.client, workflowId, queryMs);
      isAnswered &&= snapshot !== undefined;
      if (snapshot === undefined) return;
      const texts = await Promise.all(snapshot.incidents.map((incident) => this.argumentsOf(incident)));
      this.reducer.setIncidents(
        path,
        snapshot.incidents.map((incident, index) => {
          const argumentsText = texts[index];
          return argumentsText === undefined ? incident : { ...incident, argumentsText };
        }),
      );
    });
  }

  /** All arguments of a call that waits: what is approved must be seen whole. */
  private async argumentsOf({ call }: StatusSnapshot['incidents'][number]): Promise<string | undefined> {
    const { store } = this.sources;
    if (call === undefined) return undefined;
    if ('text' in call.arguments) return call.arguments.text;
    return store && (await readSpilled(store, call.arguments, 'arguments of a call').catch(() => undefined));
  }
}
