import type { Client } from '@temporalio/client';
import { Command, Option } from 'commander';
import { listRuns, type RunEntry, type RunState } from '../../client/agent/list-runs';
import { headline } from '../../client/format';
import { readOpenIncidents } from '../../client/operator/open-incidents';
import { readAmendedBudget } from '../../client/spending/read-budget';
import { readListFigures, readStoredFigures } from '../../client/spending/list-figures';
import { readRootMemo } from '../../domain/agent';
import type { Allowance } from '../../domain/budget';
import { mapWithLimit, owningRunId, runIdOf, runWorkflowId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { readRoots, readStoredRoot } from '../../store/run-record';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import { positiveInteger } from '../options';
import { addTimeOption, type TimeOption } from '../screen/time-option';
import { type ListedRun, listLines } from './list-lines';

const statuses = [
  'running',
  'completed',
  'failed',
  'cancelled',
  'terminated',
  'timed-out',
  'needs-operator',
  'paused',
] as const;

/** `baton list`: lists runs. */
export function listCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('list runs, newest first, with what they cost and who waits for you')
    .addOption(new Option('-s, --status <status>', 'only runs with this status').choices(statuses))
    .option('-n, --limit <n>', 'maximum number of runs', positiveInteger, 20)
    .option('--store', 'list what the store has, without a server: also runs that the server no longer has');
  return addTimeOption(command)
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async ({ status, limit, json, store, utc }: ListOptions) => {
      if (store === true && status !== undefined) {
        throw new CliError(exitCodes.misused, '--store lists runs of every status.', 'Omit --status.');
      }
      const runs =
        store === true
          ? await storedRuns(await context.openStore(), limit)
          : await withConnection(context, ({ client }) => serverRuns(context, client, limit, status));
      const { terminal } = context;
      if (json === true) terminal.printJson(runs);
      else if (runs.length === 0) terminal.note('No runs. Start one with: baton run "…"');
      else terminal.printLines(listLines(runs, { now: Date.now(), utc: utc ?? false }, terminal.columns()));
    });
}

interface ListOptions extends TimeOption {
  readonly status?: (typeof statuses)[number];
  readonly limit: number;
  readonly json?: boolean;
  readonly store?: boolean;
}

const examples = `
Examples:
  $ baton list
  $ baton list --status failed --json
  $ baton list --status needs-operator
  $ baton list --store
`;

async function serverRuns(
  context: CliContext,
  client: Client,
  limit: number,
  status: ListOptions['status'],
): Promise<ListedRun[]> {
  const runs = await listRuns(client, limit, status?.replace('-', ' ') as RunState | undefined);
  const ids = runs.map(({ workflowId }) => workflowId);
  const store = await context.openStore().catch(() => undefined);
  const figures = await readListFigures(client, ids, store);
  return mapWithLimit(runs, maxConcurrent, async (run) => ({
    ...toListed(run),
    waiting: run.state === 'needs operator' ? await waitingIn(client, run.workflowId) : [],
    ...(figures.get(run.workflowId) ?? { own: null, withDelegations: null }),
    budget: await budgetOf(client, store, run.workflowId).catch(() => null),
  }));
}

const maxConcurrent = 8;

/** Most runs have no budget, which their records in the store tell without a request. */
async function budgetOf(client: Client, store: Store | undefined, workflowId: string): Promise<Allowance | null> {
  const roots = store === undefined ? [] : await readRoots(store.forRun(owningRunId(workflowId))).catch(() => []);
  const root = roots.at(-1);
  const hasNone = root !== undefined && root.settings.budget === undefined;
  return hasNone ? null : readAmendedBudget(client, workflowId);
}

function toListed({
  workflowId,
  state,
  startedAt,
  latest,
}: RunEntry): Omit<ListedRun, 'waiting' | 'own' | 'withDelegations' | 'budget'> {
  const { goal, prompt, skill, relay } = readRootMemo(latest.memo);
  return {
    runId: runIdOf(workflowId) ?? workflowId,
    workflowId,
    status: latest.status.name.toLowerCase(),
    state,
    startedAt: new Date(startedAt).toISOString(),
    closedAt: latest.closeTime?.toISOString() ?? null,
    goal: goal ?? null,
    prompt: prompt ?? null,
    skill: skill ?? null,
    relay: relay ?? null,
  };
}

async function waitingIn(client: Client, workflowId: string): Promise<ListedRun['waiting']> {
  const open = await readOpenIncidents(client, workflowId).catch(() => []);
  return open.map(({ workflowId: agent, incident: { id, type, since } }) => ({ agent, incident: id, type, since }));
}

/** Lists the runs that the store has a record of, newest first. */
async function storedRuns(store: Store, limit: number): Promise<ListedRun[]> {
  const runs = await store.listRuns();
  const found = await mapWithLimit(runs, 4, async ({ runId }) => {
    const stored = await readStoredRoot(store.forRun(runId));
    if (stored === undefined) return [];
    const { root, ending } = stored;
    const state: RunState = ending?.status ?? 'unknown';
    return {
      runId,
      workflowId: runWorkflowId(runId),
      status: ending?.status ?? 'unknown',
      state,
      startedAt: root.at,
      closedAt: ending?.at ?? null,
      goal: headline(root.goal, 200),
      prompt: root.prompt ?? null,
      skill: root.opened.skill ?? null,
      relay: root.relay,
      waiting: [],
      ...(await readStoredFigures(store, runWorkflowId(runId))),
      budget: ending?.snapshot.budget ?? root.settings.budget ?? null,
    };
  });
  return found
    .flat()
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
    .slice(0, limit);
}
