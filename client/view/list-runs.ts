import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { readRootMemo, rootTitle } from '../../domain/agent';
import { figuresOf } from '../../domain/budget';
import { mapWithLimit, owningRunId, runIdOf, runWorkflowId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { PaidCallReader } from '../../store/paid-calls';
import { readStoredRoot } from '../../store/run-record';
import { isServerUnavailable } from '../../temporal-config/node/connection-failure';
import { searchAttributes } from '../../temporal-config/search-attributes';
import {
  agentExecutions,
  type AgentExecution,
  agentsQuery,
  parkedQuery,
  rootsQuery,
  subtreeQuery,
} from '../agent/find-agent';
import { queryAgentStatus } from '../agent/outcome';
import { knownStart } from '../agent/run-times';
import { headline } from '../format';
import type { RunRow, ViewState } from './run-view';

/** Most runs that a list has. Older ones are left out. */
const maxRuns = 5_000;
/** For how long a list is good enough. */
const freshMs = 1_500;
/** How often the figures of an open run are read. */
const figuresMs = 5_000;
const maxConcurrent = 8;
const queryMs = 3_000;

/** What all runs have in common: everything but figures and numbers of agents, which take a request for each. */
export type ListedRun = Omit<RunRow, 'figures' | 'agents'> & {
  /** Start of the latest execution on the server; -1 for a run that only the store has. */
  readonly latestStart: number;
};

/** An incident that waits for an operator. */
export interface OpenIncident {
  readonly workflowId: string;
  /** Id of the incident; empty when no worker says which one it is. */
  readonly id: string;
  readonly since: number;
}

type Extras = Pick<RunRow, 'figures' | 'agents'>;

/** Lists the runs of a server and of a store, newest first. Keep one: what can't change is read once. */
export class RunLister {
  private waiting: { readonly at: number; readonly incidents: Promise<readonly OpenIncident[]> } | undefined;
  private listed: { readonly at: number; readonly runs: Promise<readonly ListedRun[]> } | undefined;
  private readonly extras = new Map<
    string,
    { readonly at: number; readonly isFinal: boolean; readonly value: Promise<Extras> }
  >();
  private readonly readers = new Map<string, PaidCallReader>();

  constructor(
    /** Null when no server can be reached. */
    private readonly client: Client | null,
    private readonly store: Store | undefined,
  ) {}

  /** Lists all runs. */
  list(): Promise<readonly ListedRun[]> {
    if (this.listed === undefined || Date.now() - this.listed.at > freshMs) {
      this.listed = { at: Date.now(), runs: this.read() };
      // A failed request is repeated at the next look.
      this.listed.runs.catch(() => (this.listed = undefined));
    }
    return this.listed.runs;
  }

  /** Adds what takes a request for each run. */
  complete(runs: readonly ListedRun[]): Promise<RunRow[]> {
    return mapWithLimit(runs, maxConcurrent, async ({ latestStart, ...run }) => {
      const { figures, agents } = await this.extrasOf(run, latestStart < 0);
      return { ...run, figures, agents: withWaiting(agents, run.waiting?.incidents ?? 0) };
    });
  }

  /** Lists the incidents of all runs that wait for an operator, oldest first. */
  async openIncidents(): Promise<readonly OpenIncident[]> {
    if (this.waiting === undefined || Date.now() - this.waiting.at > freshMs) {
      this.waiting = { at: Date.now(), incidents: this.readIncidents() };
      this.waiting.incidents.catch(() => (this.waiting = undefined));
    }
    return this.waiting.incidents;
  }

  private async readIncidents(): Promise<readonly OpenIncident[]> {
    const { client } = this;
    if (client === null) return [];
    const found = await agentExecutions(client, parkedQuery).catch((error: unknown): AgentExecution[] => {
      // A namespace may lack the search attributes. An outage must not look as if nobody waited.
      if (isServerUnavailable(error)) throw error;
      return [];
    });
    let isAnswered = true;
    const incidents = await mapWithLimit(found, maxConcurrent, async ({ workflowId, startedAt }) => {
      // If no worker answers for one agent, none is asked for the others.
      const snapshot = isAnswered ? await queryAgentStatus(client, workflowId, queryMs) : undefined;
      isAnswered &&= snapshot !== undefined;
      if (snapshot === undefined) return [{ workflowId, id: '', since: startedAt }];
      return snapshot.incidents.map(({ id, since }) => ({ workflowId, id, since: Date.parse(since) }));
    });
    return incidents.flat().sort((a, b) => a.since - b.since);
  }

  private async read(): Promise<readonly ListedRun[]> {
    const parked = new Map<string, number[]>();
    for (const { workflowId, since } of await this.openIncidents()) {
      const runId = owningRunId(workflowId);
      parked.set(runId, [...(parked.get(runId) ?? []), since]);
    }
    const found = new Map<string, ListedRun>();
    for await (const info of this.client?.workflow.list({ query: rootsQuery, pageSize: 500 }) ?? []) {
      const run = toRow(info, parked);
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

  private extrasOf(run: Omit<ListedRun, 'latestStart'>, isStored: boolean): Promise<Extras> {
    const known = this.extras.get(run.runId);
    const isFinal = run.endedAt !== null;
    if (known !== undefined && (known.isFinal || Date.now() - known.at < figuresMs) && known.isFinal === isFinal)
      return known.value;
    const value = this.readExtras(run.runId, isStored);
    this.extras.set(run.runId, { at: Date.now(), isFinal, value });
    return value;
  }

  private async readExtras(runId: string, isStored: boolean): Promise<Extras> {
    const [figures, agents] = await Promise.all([
      this.figuresOf(runId).catch(() => null),
      isStored ? null : this.countAgents(runId).catch(() => null),
    ]);
    return { figures, agents };
  }

  private async figuresOf(runId: string): Promise<RunRow['figures']> {
    const { store } = this;
    if (store === undefined) return null;
    const reader = this.readers.get(runId) ?? new PaidCallReader(store.forRun(runId));
    this.readers.set(runId, reader);
    const spent = (await reader.read())?.withDelegations(runWorkflowId(runId));
    return spent === undefined ? null : figuresOf(spent);
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

function toRow(info: WorkflowExecutionInfo, parked: ReadonlyMap<string, readonly number[]>): ListedRun {
  const { workflowId, status, startTime, closeTime, memo, typedSearchAttributes } = info;
  const described = readRootMemo(memo);
  const runId = runIdOf(workflowId) ?? workflowId;
  const waits = status.name === 'RUNNING' ? (parked.get(runId) ?? []) : [];
  const isPaused = typedSearchAttributes.get(searchAttributes.status) === 'paused';
  const own = isPaused && status.name === 'RUNNING' ? 'paused' : (states[status.name] ?? 'unknown');
  return {
    runId,
    goal: described.goal ?? '',
    title: rootTitle(described),
    model: null,
    state: waits.length > 0 ? 'needs you' : own,
    detail: details[status.name] ?? '',
    startedAt: knownStart(info),
    latestStart: startTime.getTime(),
    endedAt: closeTime?.getTime() ?? null,
    waiting: waits.length === 0 ? null : { incidents: waits.length, since: Math.min(...waits) },
  };
}
