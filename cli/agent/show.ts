import type { WorkflowExecutionDescription } from '@temporalio/client';
import { Command } from 'commander';
import { findAgent } from '../../client/agent/find-agent';
import { describeAgent, outcomeOf, queryRunStatus, type RunOutcome } from '../../client/agent/outcome';
import { formatBytes } from '../../client/format';
import { commandAfter } from '../../client/operator/reset-point';
import { mountProgress } from '../../client/workspace/mount-progress';
import { readRootMemo, type StatusSnapshot } from '../../domain/agent';
import { displayId, runWorkflowId } from '../../domain/kernel';
import { type CliContext, type OpenConnection, withConnection, workflowPage } from '../context';
import { columns } from '../table';
import { loadFinalText } from './final-text';
import { followRun } from './follow';
import { progressRows } from './show-rows';

/** `baton show`: prints the status or the result of a run. */
export function showCommand(context: CliContext): Command {
  return new Command('show')
    .description('show the status of a run or of a delegation, or its result')
    .argument('<run>', 'id of the run, <run>/<delegation>, or a workflow id')
    .option('-f, --follow', 'show progress until the run ends, then print its answer')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((target: string, { follow, json }: { follow?: boolean; json?: boolean }) =>
      withConnection(context, async (connected) => {
        const { workflowId } = await findAgent(connected.client, target);
        const description = await describeAgent(connected.client, workflowId);
        const runId = displayId(workflowId);
        if (follow === true) return followRun(context, connected.client, runId, json ?? false);
        const facts = await gather(context, connected, runId, description);
        if (json === true) context.terminal.printJson(facts);
        else context.terminal.print(toText(facts));
      }),
    );
}

const examples = `
Examples:
  $ baton show 20261116-031522-k3f9q1
  $ baton show 20261116-031522-k3f9q1 --follow
  $ baton show 20261116-031522-k3f9q1/4f7s9k2m
  $ baton show 20261116-031522-k3f9q1 --json | jq .snapshot.usage
`;

interface Facts {
  readonly runId: string;
  readonly status: string;
  readonly goal: string;
  readonly startedAt: string;
  readonly closedAt: string | null;
  readonly historyBytes: number;
  readonly page: string | null;
  readonly snapshot: StatusSnapshot | null;
  /** How far the import of the run's folder is; null when none is in progress. */
  readonly importing: string | null;
  readonly outcome: RunOutcome | null;
  readonly answer: string | null;
}

async function gather(
  context: CliContext,
  { client, namespace, uiUrl }: OpenConnection,
  runId: string,
  description: WorkflowExecutionDescription,
): Promise<Facts> {
  const closed = description.status.name !== 'RUNNING';
  const outcome = closed ? await outcomeOf(client, runId) : null;
  const { goal = '' } = readRootMemo(description.memo);
  return {
    runId,
    status: description.status.name.toLowerCase(),
    goal,
    startedAt: description.startTime.toISOString(),
    closedAt: description.closeTime?.toISOString() ?? null,
    historyBytes: description.historySize ?? 0,
    page: uiUrl === undefined ? null : workflowPage(uiUrl, namespace, runWorkflowId(runId)),
    snapshot: (await queryRunStatus(client, runId)) ?? null,
    importing: (await mountProgress(client, description)) ?? null,
    outcome,
    answer: outcome?.kind === 'completed' ? await loadFinalText(context, runId, outcome.result) : null,
  };
}

function toText(facts: Facts): string {
  const { snapshot, importing, outcome, answer } = facts;
  const rows = [
    ['run', facts.runId],
    ['status', facts.status],
    ...(facts.goal === '' ? [] : [['goal', facts.goal]]),
    ['started', facts.startedAt],
    ...(facts.closedAt === null ? [] : [['ended', facts.closedAt]]),
    ...(importing === null ? [] : [['workspace', importing]]),
    ...(snapshot === null ? unknownRows(facts) : progressRows(snapshot, facts.closedAt === null)),
    ['history', formatBytes(facts.historyBytes)],
    ...(outcome?.kind === 'failed' ? failureRows(facts.runId, outcome) : []),
    ...(facts.page === null ? [] : [['web', facts.page]]),
  ];
  return answer === null ? columns(rows) : `${columns(rows)}\n\n${answer}`;
}

/** A run that has ended makes no progress that a worker could report. */
function unknownRows({ closedAt }: Facts): string[][] {
  return closedAt === null ? [['progress', 'unknown: no worker answered']] : [];
}

function failureRows(runId: string, { type, message, remedy }: Extract<RunOutcome, { kind: 'failed' }>): string[][] {
  const isIncluded = remedy === undefined || message.includes(remedy);
  return [
    ['failure', `${type}: ${message}`],
    ...(isIncluded ? [] : [['what to do', remedy]]),
    ['continue', commandAfter(runWorkflowId(runId), { type, message })],
  ];
}
