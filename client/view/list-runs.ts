import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { readRootMemo, rootTitle } from '../../domain/agent';
import { figuresOf } from '../../domain/budget';
import { ConcurrencyLimit, mapWithLimit, owningRunId, runIdOf, runWorkflowId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { PaidCallReader } from '../../store/paid-calls';
import { readStoredRoot } from '../../store/run-record';
import { searchAttributes } from '../../temporal-config/search-attributes';
import { agentExecutions, agentsQuery, rootsQuery, subtreeQuery } from '../agent/find-agent';
import { knownStart } from '../agent/run-times';
import { headline } from '../format';
import { SharedRead } from '../record/shared-read';
import { IncidentReader, type OpenIncident } from './open-incidents';
import { noFacts, OpenRoots, readEndedRoot, type RootFacts } from './root-facts';
import type { RunRow, ViewState } from './run-view';
import { overview } from '../../temporal-config/node/overview';

/** Most runs that a list has. Older ones are left out. */
const maxRuns = 5_000;
/** For how long a list is good enough. Who waits for a person is to be seen within two seconds, and pages ask every second. */
const fresh = { leastMs: 500 };
/** A long list takes long to read. It is read again after three times that long. */
const restRatio = 3;
/** How often the figures of an open run are read. */
const figuresMs = 5_000;
/** Time after the end of a run in which the server's search index may lag behind. */
const indexedMs = 10_000;
const maxConcurrent = 8;

/** What all runs have in common: everything but figures and numbers of agents, which take a request for each. */
export type ListedRun = Omit<RunRow, 'figures' | 'agents'> & {
  /** Whether the root is a relay, which asks no model. */
  readonly isRelay: boolean;
  /** Start of the latest execution on the server; -1 for a run that only the store has. */
  readonly latestStart: number;
};

type Extras = RootFacts & Pick<RunRow, 'agents'>;

/** Lists the runs of a server and of a store, newest first. Keep one: what can't change is read once. */
export class RunLister {
  private readonly waiting: SharedRead<readonly OpenIncident[]>;
  private readonly listed = new SharedRead(() => this.read(), { ...fresh, ratio: restRatio });
  private readonly extras = new Map<
    string,
    {
      readonly at: number;
      readonly hasEnded: boolean;
      /** Whether nothing can change any more. */
      isFinal: boolean;
      readonly value: Promise<Extras>;
    }
  >();
  private readonly reads = new ConcurrencyLimit(maxConcurrent);
  private readonly readers = new Map<string, PaidCallReader>();
  private readonly openRoots: OpenRoots | undefined;

  constructor(
    /** Null when no server can be reached. */
    private readonly client: Client | null,
    private readonly store: Store | undefined,
  ) {
    const reader = client === null ? undefined : new IncidentReader(client);
    this.openRoots = client === null ? undefined : new OpenRoots(client);
    this.waiting = new SharedRead(() => reader?.read() ?? Promise.resolve([]), fresh);
  }

  /** Lists all runs. Who waits is read apart, because it is urgent and a long list is read less often. */
  async list(): Promise<readonly ListedRun[]> {
    const [runs, incidents] = await Promise.all([this.listed.get(), this.openIncidents()]);
    const waiting = new Map<string, number[]>();
    for (const { workflowId, since } of incidents) {
      const runId = owningRunId(workflowId);
      waiting.set(runId, [...(waiting.get(runId) ?? []), since]);
    }
    return runs.map((run) => withIncidents(run, waiting.get(run.runId)));
  }

  /** Adds what takes a request for each run. */
  complete(runs: readonly ListedRun[]): Promise<RunRow[]> {
    const completed = runs.map(async ({ latestStart, isRelay, ...run }) => {
      const { agents, ...known } = await this.extrasOf(run, latestStart < 0);
      const isUnknown = isRelay || known.figures === null;
      const asked = run.endedAt === null && latestStart >= 0 && isUnknown ? this.openRoots?.of(run.runId) : undefined;
      return {
        ...run,
        model: isRelay ? null : (known.model ?? asked?.model ?? run.model),
        detail: run.detail || known.detail || (asked?.detail ?? ''),
        figures: known.figures ?? asked?.figures ?? null,
        agents: withWaiting(agents, run.waiting?.incidents ?? 0),
      };
    });
    return Promise.all(completed);
  }

  /** Lists the incidents of all runs that wait for an operator, oldest first. */
  openIncidents(): Promise<readonly OpenIncident[]> {
    return this.waiting.get();
  }

  private async read(): Promise<readonly ListedRun[]> {
    const found = new Map<string, ListedRun>();
    const { client } = this;
    const executions = client === null ? [] : overview(client).list({ query: rootsQuery, pageSize: 500 });
    for await (const info of executions) {
      const run = toRow(info);
      const known = found.get(run.runId);
      // Several executions make up a run that handed over, continued as new or was reset. The latest one has its state.
      const startedAt = Math.min(known?.startedAt ?? Infinity, run.startedAt);
      const isLater = known === undefined || known.latestStart < run.latestStart;
      found.set(run.runId, { ...(isLater ? run : known), startedAt });
      if (found.size >= maxRuns) break;
    }
    for (const run of await this.stored(new Set(found.keys()))) found.set(run.runId, run);
    return [...found.values()].sort((a, b) => b.startedAt - a.startedAt || (a.runId < b.runId ? 1 : -1));
  }

  /** Runs that only the store knows. */
  private async stored(known: ReadonlySet<string>): Promise<readonly ListedRun[]> {
    const { store } = this;
    const runs = (await store?.listRuns().catch(() => [])) ?? [];
    const others = runs.filter(({ runId }) => !known.has(runId)).slice(0, maxRuns);
    const rows = await mapWithLimit(others, maxConcurrent, async ({ runId }): Promise<ListedRun[]> => {
      const stored = await this.storedRoot(runId);
      if (stored === undefined) return [];
      const { root, ending } = stored;
      const { goal, relay, prompt } = root;
      const { skill } = root.opened;
      const names = { ...(prompt === undefined ? {} : { prompt }), ...(skill === undefined ? {} : { skill }) };
      const title = rootTitle({ goal: headline(goal, 200), ...names, ...(relay === null ? {} : { relay }) });
      return [
        {
          runId,
          goal: headline(goal, 200),
          title,
          model: root.settings.model.name,
          state: ending?.status ?? 'unknown',
          detail: ending?.failure?.type ?? '',
          startedAt: Date.parse(root.at),
          endedAt: ending === undefined ? null : Date.parse(ending.at),
          waiting: null,
          isRelay: relay !== null,
          latestStart: -1,
        },
      ];
    });
    return rows.flat();
  }

  private readonly roots = new Map<string, ReturnType<typeof readStoredRoot>>();

  /** A run that the server has forgotten does not change any more. */
  private storedRoot(runId: string): ReturnType<typeof readStoredRoot> {
    const { store } = this;
    if (store === undefined) return Promise.resolve(undefined);
    const known = this.roots.get(runId) ?? readStoredRoot(store.forRun(runId)).catch(() => undefined);
    this.roots.set(runId, known);
    // One without an end may still get one.
    void known.then((found) => {
      if (found?.ending === undefined) this.roots.delete(runId);
    });
    return known;
  }

  private extrasOf(run: Pick<ListedRun, 'runId' | 'endedAt'>, isStored: boolean): Promise<Extras> {
    const hasEnded = run.endedAt !== null;
    const last = this.extras.get(run.runId);
    const known = last?.hasEnded === hasEnded ? last : undefined;
    if (known !== undefined && (known.isFinal || Date.now() - known.at < figuresMs)) return known.value;
    const value = this.reads.run(() => this.readExtras(run, isStored));
    const entry = { at: Date.now(), hasEnded, isFinal: false, value };
    this.extras.set(run.runId, entry);
    const isIndexed = run.endedAt !== null && entry.at - run.endedAt > indexedMs;
    // What could not be read is read again, also when the run has ended.
    void value.then(({ figures }) => (entry.isFinal = isIndexed && figures !== null));
    // Older figures are good enough until the new ones are there: a list of many open runs must not wait for them.
    return known === undefined ? value : Promise.race([value, known.value]);
  }

  private async readExtras(
    { runId, endedAt }: Pick<ListedRun, 'runId' | 'endedAt'>,
    isStored: boolean,
  ): Promise<Extras> {
    const { client } = this;
    const hasEnding = client !== null && !isStored && endedAt !== null;
    const [stored, ended, agents] = await Promise.all([
      this.storedFacts(runId).catch(() => noFacts),
      hasEnding ? readEndedRoot(client, runId).catch(() => noFacts) : noFacts,
      isStored ? null : this.countAgents(runId).catch(() => null),
    ]);
    return { model: stored.model, detail: ended.detail, figures: stored.figures ?? ended.figures, agents };
  }

  private async storedFacts(runId: string): Promise<RootFacts> {
    const { store } = this;
    if (store === undefined) return noFacts;
    const reader = this.readers.get(runId) ?? new PaidCallReader(store.forRun(runId));
    this.readers.set(runId, reader);
    const [spending, root] = [await reader.read(), runWorkflowId(runId)];
    const spent = spending?.withDelegations(root);
    return { ...noFacts, model: spending?.model(root) ?? null, figures: spent === undefined ? null : figuresOf(spent) };
  }

  /** Counts by what the server lists. It can't count them itself: an agent that was retried has several executions. */
  private async countAgents(runId: string): Promise<RunRow['agents']> {
    if (this.client === null) return null;
    const agents = await agentExecutions(this.client, `${subtreeQuery(runWorkflowId(runId))} AND ${agentsQuery}`);
    const counts: Partial<Record<ViewState, number>> = {};
    for (const execution of agents) {
      const state = states[execution.state] ?? 'unknown';
      counts[state] = (counts[state] ?? 0) + 1;
    }
    return agents.length === 0 ? null : counts;
  }
}

/** Counts those that wait for an operator apart. To the server, they are running. */
function withWaiting(agents: RunRow['agents'], waiting: number): RunRow['agents'] {
  const running = agents?.running ?? 0;
  if (agents === null || waiting === 0 || running === 0) return agents;
  const { running: _running, ...others } = agents;
  const left = Math.max(0, running - waiting);
  return { 'needs you': running - left, ...(left === 0 ? {} : { running: left }), ...others };
}

const states: Readonly<Record<string, ViewState>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'failed',
  TIMED_OUT: 'failed',
};

const details: Readonly<Record<string, string>> = { TERMINATED: 'terminated', TIMED_OUT: 'timed out' };

function withIncidents(run: ListedRun, since: readonly number[] | undefined): ListedRun {
  if (since === undefined || run.endedAt !== null) return run;
  return { ...run, state: 'needs you', waiting: { incidents: since.length, since: Math.min(...since) } };
}

function toRow(info: WorkflowExecutionInfo): ListedRun {
  const { workflowId, status, startTime, closeTime, memo, typedSearchAttributes } = info;
  const described = readRootMemo(memo);
  const runId = runIdOf(workflowId) ?? workflowId;
  const isPaused = typedSearchAttributes.get(searchAttributes.status) === 'paused';
  const own = isPaused && status.name === 'RUNNING' ? 'paused' : (states[status.name] ?? 'unknown');
  return {
    runId,
    goal: described.goal ?? '',
    title: rootTitle(described),
    model: null,
    state: own,
    detail: details[status.name] ?? '',
    startedAt: knownStart(info),
    latestStart: startTime.getTime(),
    endedAt: closeTime?.getTime() ?? null,
    waiting: null,
    isRelay: described.relay !== undefined,
  };
}
