import { Command } from 'commander';
import { compareRuns, type ComparedRun, type Comparison, type ToolCount } from '../../client/compare/compare-runs';
import { formatCount, formatDuration, headline, oneLine } from '../../client/format';
import { storedReport } from '../../client/record/stored-views';
import { gatherReport } from '../../client/report/gather-report';
import { costText, type Figures } from '../../domain/budget';
import type { ReportModel } from '../../client/report/report-model';
import { totalTokens } from '../../domain/model';
import type { CliContext } from '../context';
import { fromServerOrStore } from '../from-store';
import { columns } from '../screen/table';
import { hunksBetween } from '../workspace/diff';

/** `baton compare`: shows two runs side by side. */
export function compareCommand(context: CliContext): Command {
  return new Command('compare')
    .description('compare two runs: answers, turns, tokens, cost, time and tools')
    .argument('<a>', 'id of a run')
    .argument('<b>', 'id of another run')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (a: string, b: string, { json }: { json?: boolean }) => {
      const [first, second] = [await reportOf(context, a), await reportOf(context, b)];
      for (const gap of new Set([...first.gaps, ...second.gaps])) context.terminal.note(gap);
      const comparison = compareRuns(first, second);
      if (json === true) context.terminal.printJson(comparison);
      else context.terminal.print(toText(comparison));
    });
}

const examples = `
Amounts are those of the root agent alone ("own") and of the run with all its delegations. Answers are compared line by line:
lines with - are those of <a>, lines with + those of <b>.

Examples:
  $ baton compare licenses-7 licenses-8
  $ baton compare licenses-7 licenses-8 --json | jq .b.withDelegations.microUsd
`;

function reportOf(context: CliContext, runId: string): Promise<ReportModel> {
  return fromServerOrStore(context, runId, {
    server: ({ client }) => gatherReport(client, runId, async () => (await context.openStore()).forRun(runId)),
    store: storedReport,
  });
}

function toText(comparison: Comparison): string {
  const { a, b } = comparison;
  return [
    columns([['', headline(a.runId, 30), headline(b.runId, 30)], ...rowsOf(comparison)]),
    ...failuresOf([a, b]),
    '',
    answersOf(comparison),
  ].join('\n');
}

/** Rows with a label and both values; without those that say nothing. */
function rowsOf({ a, b, isSameGoal }: Comparison): string[][] {
  const row = (label: string, value: (run: ComparedRun) => string): string[] => [label, value(a), value(b)];
  const hasDelegations = a.agents + b.agents > 2;
  const both = hasDelegations ? ['own ', 'all '] : [''];
  const amounts = (label: string, value: (totals: Figures) => string): string[][] =>
    both.map((kind) => row(`${kind}${label}`, (run) => value(kind === 'all ' ? run.withDelegations : run.own)));
  return [
    ...(isSameGoal ? [] : [row('goal', ({ goal }) => oneLine(goal, 28))]),
    row('status', ({ status, failure }) => (failure === null ? status : `${status}, ${failure.type}`)),
    row('model', ({ models }) => oneLine(models.join(', '), 30)),
    ...(hasDelegations ? [row('agents', ({ agents }) => formatCount(agents))] : []),
    row('time', ({ tookMs }) => formatDuration(tookMs)),
    ...amounts('turns', ({ turns }) => formatCount(turns)),
    ...amounts('tokens', ({ usage }) => formatCount(totalTokens(usage))),
    ...amounts('cost', ({ microUsd }) => costText(microUsd)),
    ...toolRows(a, b),
  ];
}

function toolRows(a: ComparedRun, b: ComparedRun): string[][] {
  const names = [...new Set([...Object.keys(a.tools), ...Object.keys(b.tools)])].sort();
  return names.map((name) => [`  ${name}`, formatTool(a.tools[name]), formatTool(b.tools[name])]);
}

function formatTool(tool: ToolCount | undefined): string {
  if (tool === undefined) return '–';
  const times = `${formatCount(tool.calls)}×`;
  return tool.errors === null || tool.errors === 0 ? times : `${times}, ${formatCount(tool.errors)} failed`;
}

function failuresOf(runs: readonly ComparedRun[]): string[] {
  return runs.flatMap(({ runId, failure }) => (failure === null ? [] : ['', `${runId}: ${failure.message}`]));
}

function answersOf({ a, b, isSameAnswer }: Comparison): string {
  if (isSameAnswer) return 'The answers are the same.';
  if (a.answer === null && b.answer === null) return 'Neither run has an answer.';
  const missing = [a, b].find(({ answer }) => answer === null);
  if (missing !== undefined) return `${missing.runId} has no answer.`;
  const patch = hunksBetween(`${a.answer ?? ''}\n`, `${b.answer ?? ''}\n`);
  return `The answers differ:\n--- ${a.runId}\n+++ ${b.runId}\n${patch.trimEnd()}`;
}
