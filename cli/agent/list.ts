import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { Command, Option } from 'commander';
import { pausedRuns, rootsQuery, runsThatNeedOperator } from '../../client/agent/find-agent';
import { formatDuration, headline } from '../../client/format';
import { readRootMemo, rootTitle } from '../../domain/agent';
import { runIdOf } from '../../domain/kernel';
import { type CliContext, withConnection } from '../context';
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
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async ({ status, limit, json }: { status?: Status; limit: number; json?: boolean }) => {
      const runs = await withConnection(context, ({ client }) => collect(runsInState(client, status), limit));
      const { terminal } = context;
      if (json === true) terminal.printJson(runs.map(toJson));
      else if (runs.length === 0) terminal.note('No runs. Start one with: baton run "…"');
      else terminal.print(columns([['RUN', 'STATUS', 'STARTED', 'TOOK', 'GOAL'], ...runs.map(toRow)]));
    });
}

const examples = `
Examples:
  $ baton list
  $ baton list --status failed --json
  $ baton list --status needs-operator
`;

function runsInState(client: Client, status: Status | undefined): AsyncIterable<WorkflowExecutionInfo> {
  if (status === 'needs-operator') return runsThatNeedOperator(client);
  if (status === 'paused') return pausedRuns(client);
  const inState = status === undefined ? '' : ` AND ExecutionStatus = '${serverNames[status]}'`;
  return client.workflow.list({ query: `${rootsQuery}${inState}` });
}

async function collect(runs: AsyncIterable<WorkflowExecutionInfo>, limit: number): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const run of runs) {
    // An execution that continued as new is only a part of its run.
    if (run.status.name === 'CONTINUED_AS_NEW') continue;
    found.push(run);
    if (found.length >= limit) break;
  }
  return found;
}

function toJson(run: WorkflowExecutionInfo): Record<string, unknown> {
  const { workflowId, status, startTime, closeTime, memo } = run;
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

function toRow(run: WorkflowExecutionInfo): string[] {
  const { workflowId, status, startTime, closeTime, memo } = run;
  const took = formatDuration((closeTime ?? new Date()).getTime() - startTime.getTime());
  const started = startTime.toISOString().slice(0, 19).replace('T', ' ');
  const title = headline(rootTitle(readRootMemo(memo)));
  return [runIdOf(workflowId) ?? workflowId, status.name.toLowerCase(), started, took, title];
}
