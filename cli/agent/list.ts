import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { Command, Option } from 'commander';
import { pausedRuns, rootsQuery, runsThatNeedOperator } from '../../client/agent/find-agent';
import { formatDuration, headline } from '../../client/format';
import { readRootMemo, rootTitle } from '../../domain/agent';
import { mapWithLimit, runIdOf, runWorkflowId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { readStoredRoot } from '../../store/run-record';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import { positiveInteger } from '../options';
import { columns } from '../table';

const serverStatuses = ['running', 'completed', 'failed', 'cancelled', 'terminated', 'timed-out'] as const;
const statuses = [...serverStatuses, 'needs-operator', 'paused'] as const;
type Status = (typeof statuses)[number];

const serverNames: Readonly<Record<(typeof serverStatuses)[number], string>> = {
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
  terminated: 'Terminated',
  'timed-out': 'TimedOut',
};

/** `baton list`: lists runs. */
export function listCommand(context: CliContext): Command {
  return new Command('list')
    .description('list runs, newest first')
    .addOption(new Option('-s, --status <status>', 'only runs with this status').choices(statuses))
    .option('-n, --limit <n>', 'maximum number of runs', positiveInteger, 20)
    .option('--store', 'list what the store has, without a server: also runs that the server no longer has')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async ({ status, limit, json, store }: ListOptions) => {
      if (store === true && status !== undefined) {
        throw new CliError(exitCodes.misused, '--store lists runs of every status.', 'Omit --status.');
      }
      const runs =
        store === true
          ? await storedRuns(await context.openStore(), limit)
          : await withConnection(context, ({ client }) => collect(runsInState(client, status), limit));
      const { terminal } = context;
      if (json === true) terminal.printJson(runs);
      else if (runs.length === 0) terminal.note('No runs. Start one with: baton run "…"');
      else terminal.print(columns([['RUN', 'STATUS', 'STARTED', 'TOOK', 'GOAL'], ...runs.map(toRow)]));
    });
}

interface ListOptions {
  readonly status?: Status;
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

function runsInState(client: Client, status: Status | undefined): AsyncIterable<WorkflowExecutionInfo> {
  if (status === 'needs-operator') return runsThatNeedOperator(client);
  if (status === 'paused') return pausedRuns(client);
  const inState = status === undefined ? '' : ` AND ExecutionStatus = '${serverNames[status]}'`;
  return client.workflow.list({ query: `${rootsQuery}${inState}` });
}

async function collect(runs: AsyncIterable<WorkflowExecutionInfo>, limit: number): Promise<ListedRun[]> {
  const found: ListedRun[] = [];
  for await (const run of runs) {
    // An execution that continued as new is only a part of its run.
    if (run.status.name === 'CONTINUED_AS_NEW') continue;
    found.push(toListed(run));
    if (found.length >= limit) break;
  }
  return found;
}

/** A run in the list, as `--json` prints it. */
interface ListedRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: string;
  readonly startedAt: string;
  readonly closedAt: string | null;
  readonly goal: string | null;
  /** Namespace and key of its prompt, the name of its skill or of its relay; null when it has none of its own. */
  readonly prompt: string | null;
  readonly skill: string | null;
  readonly relay: string | null;
}

function toListed({ workflowId, status, startTime, closeTime, memo }: WorkflowExecutionInfo): ListedRun {
  const { goal, prompt, skill, relay } = readRootMemo(memo);
  return {
    runId: runIdOf(workflowId) ?? workflowId,
    workflowId,
    status: status.name.toLowerCase(),
    startedAt: startTime.toISOString(),
    closedAt: closeTime?.toISOString() ?? null,
    goal: goal ?? null,
    prompt: prompt ?? null,
    skill: skill ?? null,
    relay: relay ?? null,
  };
}

/** Lists the runs that the store has a record of, newest first. */
async function storedRuns(store: Store, limit: number): Promise<ListedRun[]> {
  const runs = await store.listRuns();
  const found = await mapWithLimit(runs, 4, async ({ runId }) => {
    const stored = await readStoredRoot(store.forRun(runId));
    if (stored === undefined) return [];
    const { root, ending } = stored;
    return {
      runId,
      workflowId: runWorkflowId(runId),
      status: ending?.status ?? 'unknown',
      startedAt: root.at,
      closedAt: ending?.at ?? null,
      goal: headline(root.goal, 200),
      prompt: root.prompt ?? null,
      skill: root.opened.skill ?? null,
      relay: root.relay,
    };
  });
  return found
    .flat()
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
    .slice(0, limit);
}

function toRow({ runId, status, startedAt, closedAt, goal, prompt, skill, relay }: ListedRun): string[] {
  const isUnknown = status === 'unknown';
  const took = isUnknown
    ? ''
    : formatDuration(Date.parse(closedAt ?? new Date().toISOString()) - Date.parse(startedAt));
  const known = Object.entries({ goal, prompt, skill, relay }).filter(([, value]) => value !== null);
  const title = rootTitle(Object.fromEntries(known));
  return [runId, status, startedAt.slice(0, 19).replace('T', ' '), took, headline(title)];
}
