import type { WorkflowExecutionDescription } from '@temporalio/client';
import { Command } from 'commander';
import { formatSkipped, readEnding, type SkippedResult } from '../../client/agent/ending';
import { findAgent } from '../../client/agent/find-agent';
import { describeAgent, outcomeOf, queryRunStatus, type RunOutcome } from '../../client/agent/outcome';
import { firstStart } from '../../client/agent/run-times';
import { readTree } from '../../client/delegation/read-tree';
import { formatBytes, formatDuration, headline, type TimeStyle } from '../../client/format';
import { commandAfter } from '../../client/operator/reset-point';
import { StoredFactsReader } from '../../client/record/stored-facts';
import { findStoredAgent, type StoredAgent, type StoredRun } from '../../client/record/stored-run';
import { skippedIn, storedOutcome } from '../../client/record/stored-views';
import { mountProgress } from '../../client/workspace/mount-progress';
import { readRootMemo, type StatusSnapshot } from '../../domain/agent';
import type { Figures } from '../../domain/budget';
import { displayId, type Json, owningRunId, runWorkflowId } from '../../domain/kernel';
import { type CacheReadShares, cacheReadShares } from '../../domain/model';
import { type CliContext, type OpenConnection, workflowPage } from '../context';
import { figuresReader } from '../screen/figures';
import { fromServerOrStore } from '../from-store';
import { addNotifyOption, checkNotify, type NotifyOption } from '../operator/notify-options';
import { showIncident } from '../operator/show-incident';
import { readableRows } from '../screen/readable-rows';
import { styledRows } from '../screen/styled-rows';
import { columns } from '../screen/table';
import { addTimeOption, type TimeOption } from '../screen/time-option';
import { loadFinalText, loadModelNotes, loadValue } from './final-text';
import { followRun } from './follow';
import { figureRows } from './figure-rows';
import { progressRows } from './show-rows';

/** `baton show`: prints the status or the result of a run. */
export function showCommand(context: CliContext): Command {
  const command = new Command('show')
    .description('show the status of a run or of a delegation, or its result')
    .argument('<run>', 'id of the run, <run>/<delegation>, or a workflow id')
    .option('-f, --follow', 'show progress until the run ends, then print its answer');
  return addTimeOption(addNotifyOption(command))
    .option('--incident <id>', 'show one open incident: all arguments of the call, or the question, and how to answer')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((target: string, { follow, incident, json, notify, utc = false }: ShowOptions) => {
      checkNotify({ notify, follow });
      return fromServerOrStore(context, target, {
        async server(connected) {
          const { workflowId } = await findAgent(connected.client, target);
          if (incident !== undefined)
            return showIncident(context, connected.client, workflowId, { id: incident, json: json ?? false });
          const description = await describeAgent(connected.client, workflowId);
          const runId = displayId(workflowId);
          if (follow === true) return followRun(context, connected.client, runId, { json, notify, utc });
          const facts = await gather(context, connected, runId, description);
          print(context, facts, { json, utc });
          if (facts.snapshot === null) context.terminal.note(withoutWorker);
        },
        store: async (run) => print(context, await gatherStored(run, findStoredAgent(run, target)), { json, utc }),
      });
    });
}

interface ShowOptions extends NotifyOption, TimeOption {
  readonly follow?: boolean;
  readonly incident?: string;
  readonly json?: boolean;
}

const withoutWorker =
  'No worker answered in time, so this leaves out what only the agent itself knows: its model, turns, context window and ' +
  'incidents. Start one with: baton worker';

interface PrintStyle {
  readonly json: boolean | undefined;
  readonly utc: boolean;
}

function print({ terminal }: CliContext, facts: Facts, { json, utc }: PrintStyle): void {
  if (json === true) terminal.printJson(facts);
  else {
    terminal.printLines(styledRows(tableOf(facts, { now: Date.now(), utc }), terminal.columns()));
    if (facts.answer !== null) terminal.print(`\n${facts.answer}`);
  }
}

const examples = `
Examples:
  $ baton show 20261116-031522-k3f9q1
  $ baton show 20261116-031522-k3f9q1 --follow
  $ baton show 20261116-031522-k3f9q1/4f7s9k2m
  $ baton show 20261116-031522-k3f9q1 --incident i1
  $ baton show 20261116-031522-k3f9q1 --json | jq .withDelegations
`;

interface Facts {
  readonly runId: string;
  readonly status: string;
  readonly goal: string;
  /** Namespace and key of the root's prompt; null when it is Baton's own. */
  readonly prompt: string | null;
  /** Name of the root's skill; null when it has none. */
  readonly skill: string | null;
  readonly startedAt: string;
  readonly closedAt: string | null;
  /** Null when the facts come from the store. */
  readonly historyBytes: number | null;
  readonly page: string | null;
  readonly snapshot: StatusSnapshot | null;
  /** What the agent itself consumed. */
  readonly own: Figures;
  /** What the agent and everything below it consumed. */
  readonly withDelegations: Figures;
  /** Share of the input tokens that were read from the provider's cache; null when there were none. */
  readonly cacheReadShare: CacheReadShares;
  /** How far the import of the run's folder is; null when none is in progress. */
  readonly importing: string | null;
  /** What the providers of the run's models cannot do, found when it started. */
  readonly modelNotes: readonly string[];
  readonly outcome: RunOutcome | null;
  /** How an operator replaced its result; null unless one did. */
  readonly skipped: SkippedResult | null;
  readonly answer: string | null;
  /** The parsed answer; null if it has no structure. */
  readonly value: Json;
}

async function gather(
  context: CliContext,
  { client, namespace, uiUrl }: OpenConnection,
  runId: string,
  description: WorkflowExecutionDescription,
): Promise<Facts> {
  const closed = description.status.name !== 'RUNNING';
  const outcome = closed ? await outcomeOf(client, runId) : null;
  const { goal = '', prompt = null, skill = null } = readRootMemo(description.memo);
  const snapshot = (await queryRunStatus(client, runId)) ?? null;
  const { workflowId } = description;
  const figures = await figuresReader(context, client, owningRunId(workflowId)).read(() =>
    readTree(client, workflowId),
  );
  const { own, withDelegations } = figures.of(workflowId);
  return {
    runId,
    status: description.status.name.toLowerCase(),
    goal,
    prompt,
    skill,
    startedAt: new Date(await firstStart(client, description)).toISOString(),
    closedAt: description.closeTime?.toISOString() ?? null,
    historyBytes: description.historySize ?? 0,
    page: uiUrl === undefined ? null : workflowPage(uiUrl, namespace, runWorkflowId(runId)),
    snapshot,
    own,
    withDelegations,
    cacheReadShare: cacheReadShares(own.usage, withDelegations.usage),
    importing: (await mountProgress(client, description)) ?? null,
    modelNotes: await loadModelNotes(context, runId),
    outcome,
    skipped: closed ? ((await readEnding(client, workflowId))?.skipped ?? null) : null,
    answer: outcome?.kind === 'completed' ? await loadFinalText(context, runId, outcome.result) : null,
    value: outcome?.kind === 'completed' ? await loadValue(context, runId, outcome.result) : null,
  };
}

async function gatherStored(run: StoredRun, agent: StoredAgent): Promise<Facts> {
  const { workflowId, delegation, preparedAt, ended } = agent;
  const { snapshot, figures, answer, value } = await new StoredFactsReader(run).of(agent);
  return {
    runId: displayId(workflowId),
    status: ended?.status ?? 'unknown',
    goal: delegation === null ? headline(run.record.goal, 200) : '',
    prompt: delegation === null ? (run.record.prompt ?? null) : null,
    skill: delegation === null ? (agent.opened.skill ?? null) : null,
    startedAt: preparedAt,
    closedAt: ended?.at ?? null,
    historyBytes: null,
    page: null,
    snapshot,
    ...figures,
    cacheReadShare: cacheReadShares(figures.own.usage, figures.withDelegations.usage),
    importing: null,
    modelNotes: delegation === null ? (run.record.modelNotes ?? []) : [],
    outcome: await storedOutcome(run, agent),
    skipped: skippedIn(ended?.record ?? null),
    answer,
    value,
  };
}

function tableOf(facts: Facts, times: TimeStyle): string {
  const { snapshot, importing, outcome, skipped } = facts;
  const rows = [
    ['run', facts.runId],
    ['status', facts.status],
    ...(skipped === null ? [] : [['skipped', formatSkipped(skipped)]]),
    ...(facts.prompt === null ? [] : [['prompt', facts.prompt]]),
    ...(facts.skill === null || snapshot !== null ? [] : [['skill', facts.skill]]),
    ...(facts.goal === '' ? [] : [['goal', facts.goal]]),
    ['started', facts.startedAt],
    ...endedRows(facts),
    ...(importing === null ? [] : [['workspace', importing]]),
    ...facts.modelNotes.map((note) => ['note', note]),
    ...(snapshot === null
      ? unknownRows(facts)
      : progressRows(snapshot, facts.closedAt === null && facts.historyBytes !== null, runWorkflowId(facts.runId))),
    ...figureRows(facts, snapshot),
    ...(facts.historyBytes === null ? [] : [['history', formatBytes(facts.historyBytes)]]),
    ...(outcome?.kind === 'failed' ? failureRows(facts.runId, outcome) : []),
    ...(facts.page === null ? [] : [['web', facts.page]]),
  ];
  return columns(readableRows(rows, times));
}

function endedRows({ startedAt, closedAt, historyBytes }: Facts): string[][] {
  const took = (until: number): string => formatDuration(until - Date.parse(startedAt));
  if (closedAt !== null)
    return [
      ['ended', closedAt],
      ['took', took(Date.parse(closedAt))],
    ];
  return historyBytes === null ? [['ended', 'not recorded']] : [['took', `${took(Date.now())} so far`]];
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
