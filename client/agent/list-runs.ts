import { type Client, isGrpcServiceError, ServiceError, type WorkflowExecutionInfo } from '@temporalio/client';
import { owningRunId, runWorkflowId } from '../../domain/kernel';
import { searchAttributes } from '../../temporal-config/search-attributes';
import { isServerUnavailable } from '../../temporal-config/node/connection-failure';
import { agentExecutions, parkedQuery, rootsQuery } from './find-agent';
import { queryAgentStatus } from './outcome';
import { firstStarts } from './run-times';
import { overview } from '../../temporal-config/node/overview';

/** State of a run, as lists show it. */
export type RunState =
  | 'running'
  | 'needs operator'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'terminated'
  | 'timed out'
  | 'unknown';

/** A run, however many executions it took. */
export interface RunEntry {
  readonly workflowId: string;
  readonly state: RunState;
  /** When its first execution started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Its latest execution. */
  readonly latest: WorkflowExecutionInfo;
}

const closedStates: Readonly<Record<string, RunState>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed out',
};

const minuteMs = 60 * 1_000;
const hourMs = 60 * minuteMs;
/**
 * Periods that are looked at one after the other until there are enough runs. The server lists by end and not by start,
 * so the newest runs are found by listing everything since some time.
 */
const periodsMs: readonly number[] = [
  ...[minuteMs, 10 * minuteMs, hourMs, 12 * hourMs, 4 * 24 * hourMs, 30 * 24 * hourMs],
  Infinity,
];
const pageSize = 1_000;

/** Lists runs in a state, or all of them, newest first by their start, at most `limit`. */
export async function listRuns(client: Client, limit: number, state?: RunState): Promise<readonly RunEntry[]> {
  const waiting = await Waiting.read(client);
  const known = state === undefined ? undefined : waiting.idsIn(state);
  if (known !== undefined) return newest(await readIds(client, waiting, known), limit, state);
  const now = Date.now();
  let tooShort = 0;
  for (const period of periodsMs) {
    const isLast = period === Infinity;
    const enough = isLast ? period : await shortestPeriod(client, limit, { tooShort, period, now });
    tooShort = period;
    if (enough === undefined) continue;
    const found = await readRuns(client, waiting, startedWithin(enough, now));
    const wanted = newest(
      found.filter(({ startedAt }) => startedAt >= now - enough),
      limit,
      state,
    );
    if (wanted.length >= limit || isLast) return wanted;
  }
  return [];
}

function startedWithin(period: number, now: number): string {
  return period === Infinity ? rootsQuery : `${rootsQuery} AND StartTime >= '${new Date(now - period).toISOString()}'`;
}

/** How many times more runs than needed may be read, and how often a shorter period is tried to read fewer. */
const maxSurplus = 4;
const maxHalvings = 5;

/** Returns a period with enough runs and not many more; undefined if even the longest one has too few. Counting is cheap. */
async function shortestPeriod(
  client: Client,
  limit: number,
  { tooShort, period, now }: { readonly tooShort: number; readonly period: number; readonly now: number },
): Promise<number | undefined> {
  const countIn = async (length: number): Promise<number> =>
    (await client.workflow.count(startedWithin(length, now))).count;
  let [short, enough, count] = [tooShort, period, await countIn(period)];
  if (count < limit) return undefined;
  for (let tries = 0; tries < maxHalvings && count > limit * maxSurplus; tries += 1) {
    const middle = (short + enough) / 2;
    const counted = await countIn(middle);
    if (counted < limit) short = middle;
    else [enough, count] = [middle, counted];
  }
  return enough;
}

function newest(runs: readonly RunEntry[], limit: number, state: RunState | undefined): readonly RunEntry[] {
  return runs
    .filter((run) => state === undefined || run.state === state)
    .sort((a, b) => b.startedAt - a.startedAt || (a.workflowId < b.workflowId ? 1 : -1))
    .slice(0, limit);
}

const idsPerQuery = 50;

async function readIds(client: Client, waiting: Waiting, ids: readonly string[]): Promise<readonly RunEntry[]> {
  const found: RunEntry[] = [];
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const some = ids.slice(from, from + idsPerQuery).map((id) => `'${id}'`);
    found.push(...(await readRuns(client, waiting, `${rootsQuery} AND WorkflowId IN (${some.join(', ')})`)));
  }
  return found;
}

/** Lists executions and makes one run of those with the same id: after a reset, there are several. */
async function readRuns(client: Client, waiting: Waiting, query: string): Promise<RunEntry[]> {
  const latest = new Map<string, WorkflowExecutionInfo>();
  for await (const info of overview(client).list({
    query: `${query} AND ExecutionStatus != 'ContinuedAsNew'`,
    pageSize,
  })) {
    const known = latest.get(info.workflowId);
    if (known === undefined || known.startTime < info.startTime) latest.set(info.workflowId, info);
  }
  const runs = [...latest.values()];
  const starts = await firstStarts(client, runs);
  return Promise.all(
    runs.map(async (info) => ({
      workflowId: info.workflowId,
      state: await waiting.stateOf(info),
      startedAt: starts.get(info.workflowId) ?? info.startTime.getTime(),
      latest: info,
    })),
  );
}

/** Which runs wait for a person: from the server's list, or else from the agents themselves. */
class Waiting {
  private constructor(
    private readonly client: Client,
    /** Workflow ids of runs by state; undefined in a namespace without Baton's search attributes. */
    private readonly listed: ReadonlyMap<RunState, ReadonlySet<string>> | undefined,
  ) {}

  static async read(client: Client): Promise<Waiting> {
    const paused = `${rootsQuery} AND ${searchAttributes.status.name} = 'paused' AND ExecutionStatus = 'Running'`;
    try {
      const [parked, held] = await Promise.all([agentExecutions(client, parkedQuery), agentExecutions(client, paused)]);
      const runs = parked.map(({ workflowId }) => runWorkflowId(owningRunId(workflowId)));
      const listed = new Map<RunState, ReadonlySet<string>>([
        ['needs operator', new Set(runs)],
        ['paused', new Set(held.map(({ workflowId }) => workflowId))],
      ]);
      return new Waiting(client, listed);
    } catch (error) {
      if (!(error instanceof ServiceError || isGrpcServiceError(error)) || isServerUnavailable(error)) throw error;
      return new Waiting(client, undefined);
    }
  }

  /** Workflow ids of the runs in a state; undefined if they have to be looked for. */
  idsIn(state: RunState): readonly string[] | undefined {
    const ids = this.listed?.get(state);
    return ids && [...ids];
  }

  async stateOf({ workflowId, status }: WorkflowExecutionInfo): Promise<RunState> {
    if (status.name !== 'RUNNING') return closedStates[status.name] ?? 'unknown';
    if (this.listed === undefined) return this.askedState(workflowId);
    const found = [...this.listed].find(([, ids]) => ids.has(workflowId));
    return found?.[0] ?? 'running';
  }

  private async askedState(workflowId: string): Promise<RunState> {
    const snapshot = await queryAgentStatus(this.client, workflowId);
    if (snapshot === undefined) return 'running';
    if (snapshot.incidents.length + snapshot.parkedBelow > 0) return 'needs operator';
    return snapshot.paused ? 'paused' : 'running';
  }
}
