import { join } from 'node:path';
import { batonRun, gatherReport, readStoredRun, type AgentTree } from '../../../client';
import { recordRun } from '../../../cli/report/record-run';
import type { AgentRow, RunRow } from '../../../client/view/run-view';
import { StoredFactsReader } from '../../../client/record/stored-facts';
import {
  type AgentFigures,
  addFigures,
  type Allowance,
  type Figures,
  figuresText,
  noFigures,
} from '../../../domain/budget';
import { owningRunId } from '../../../domain/kernel';
import { costOf, findPrice } from '../../../domain/model';
import type { CallRecord } from '../../../testing/scripted-model';
import { batonInProcess } from '../../cli/support/in-process';
import type { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { listedRow } from '../../support/ui/listed-row';
import { harnessSource } from '../../support/ui/real-source';
import { until } from '../../support/until';

/** Adds up what the provider itself logged: the calls that it answered. */
export function paidTo(calls: readonly CallRecord[]): Figures {
  return calls
    .filter(({ outcome }) => outcome === 'answered')
    .reduce((sum, call) => addFigures(sum, figuresOfCall(call)), noFigures);
}

function figuresOfCall({ usage: counted, model }: CallRecord): Figures {
  const usage = {
    input: counted?.input_tokens ?? 0,
    cacheRead: counted?.cache_read_input_tokens ?? 0,
    cacheWrite: counted?.cache_creation_input_tokens ?? 0,
    output: counted?.output_tokens ?? 0,
  };
  return { turns: 1, usage, microUsd: costOf(findPrice(model)!, usage) };
}

type Command = (args: readonly string[]) => Promise<string>;

export function commandsOf({ client, folder }: Harness): Command {
  const env = { BATON_STORE_DIR: join(folder, 'store') };
  return async (args) => (await batonInProcess({ client, folder, env }, args)).stdout;
}

async function jsonOf(command: Command, args: readonly string[]): Promise<unknown> {
  return JSON.parse(await command([...args, '--json']));
}

/** The figures of a run's root, in every place that shows them. */
export async function everyPlace(harness: Harness, workflowId: string): Promise<Record<string, AgentFigures>> {
  const runId = owningRunId(workflowId);
  const baton = commandsOf(harness);
  const run = batonRun(harness.client, runId);
  const report = (await gatherReport(harness.client, runId, () => Promise.resolve(harness.store.forRun(runId)))).agents;
  const stored = await readStoredRun(harness.store.forRun(runId));
  const [root, heading] = await inPage(harness, runId);
  return {
    page: pick(root),
    'heading of the page': { own: root.own, withDelegations: heading.figures! },
    'list of the page': {
      own: root.own,
      withDelegations: (await listedRow(harness, harness.store, workflowId)).figures!,
    },
    show: pick(await jsonOf(baton, ['show', runId])),
    tree: pick(await jsonOf(baton, ['tree', runId])),
    why: pick(await jsonOf(baton, ['why', runId])),
    report: { own: pickFigures(report[0]!), withDelegations: report[0]!.withDelegations },
    'report, added up': { own: pickFigures(report[0]!), withDelegations: report.map(pickFigures).reduce(addFigures) },
    library: await run.spending(null, harness.store),
    'library without a store': await run.spending(),
    'tree of the library': pick(await run.tree(null, harness.store)),
    'tree of the library without a store': pick(await run.tree()),
    store: (await new StoredFactsReader(stored!).of(stored!.root)).figures,
  };
}

/** The root and the run as a recorded page has them. */
async function inPage(harness: Harness, runId: string): Promise<[AgentRow, RunRow]> {
  const { run } = await recordRun(harnessSource(harness), runId, { version: '0' }, () => Promise.resolve());
  return [run.agents[0]!, run.run];
}

export async function listed(
  harness: Harness,
  runId: string,
): Promise<AgentFigures & { readonly startedAt: string; readonly budget: Allowance | null }> {
  // Other tests start runs on the same server, and its search index lags behind.
  return until(async () => {
    const runs = (await jsonOf(commandsOf(harness), ['list', '-n', '1000'])) as { runId: string }[];
    return runs.find((run) => run.runId === runId) as never;
  });
}

/** What the Web UI's page of a workflow says about both figures. */
export async function detailsOf(harness: Harness, workflowId: string): Promise<readonly string[]> {
  const details = await operated(harness.client, workflowId).details();
  return details.split('\n').filter((line) => /^- (?:own|with delegations)/.test(line));
}

export function expectedDetails({ own, withDelegations }: AgentFigures, delegations: number): readonly string[] {
  return [`- own: ${figuresText(own)}`, `- with delegations (${delegations}): ${figuresText(withDelegations)}`];
}

/** All agents of a tree. */
export function agentsOf(tree: AgentTree): readonly AgentTree[] {
  return [tree, ...tree.children.flatMap(agentsOf)];
}

function pick(value: unknown): AgentFigures {
  const { own, withDelegations } = value as AgentFigures;
  return { own, withDelegations };
}

function pickFigures({ turns, usage, microUsd }: Figures): Figures {
  return { turns, usage, microUsd };
}
