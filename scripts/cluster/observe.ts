import type { WorkflowHandle } from '@temporalio/client';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RunResult } from '../../domain/agent';
import { runIdOf } from '../../domain/kernel';
import { readSpilled } from '../../store/blobs';
import type { ScriptedCall } from '../../testing/scripted-model';
import { filesQuery } from '../../workflows/messages';
import type { Harness } from '../../test/support/harness';
import { until } from '../../test/support/until';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';
import { agentOf, callName, expectedDelegations } from './fixed-tree';

/** The result of a run, without what differs between any two runs: ids, times, and the hashes derived from them. */
export interface Observation {
  readonly answer: string;
  readonly turns: number;
  /** Artifact contents by name. */
  readonly artifacts: Readonly<Record<string, string>>;
  /** Hashes by path of the files that the root changed. */
  readonly files: Readonly<Record<string, string>>;
  /** The tool results that each agent had received by its last call. */
  readonly told: Readonly<Record<string, readonly string[]>>;
  /** Digest of each request, including the prompt, by the name of the call. */
  readonly requests: Readonly<Record<string, readonly string[]>>;
  /** Number of executions of each workflow of the run. */
  readonly executions: readonly number[];
}

/** What is needed to look at a run from outside. */
export type Outside = Pick<Harness, 'client' | 'store'>;

export async function observe(
  harness: Outside,
  handle: WorkflowHandle<RunWorkflow>,
  asked: readonly ScriptedCall[],
): Promise<Observation> {
  const { answer, turns }: RunResult = await handle.result();
  const runId = runIdOf(handle.workflowId) ?? '';
  const store = harness.store.forRun(runId);
  const { artifacts, workspace } = await handle.query(filesQuery);
  const contents = artifacts.map(async ({ name, ref }) => [name, text(await store.get(ref, name))] as const);
  const last = new Map(asked.map((call) => [agentOf(call), call]));
  const told = [...last].map(([agent, call]) => [agent, exchangesOf(call).map((line) => neutral(line, runId))]);
  return {
    answer: neutral(await readSpilled(store, answer, 'answer'), runId),
    turns,
    artifacts: sorted(await Promise.all(contents)),
    files: sorted((workspace?.changes ?? []).map(({ path, newHash }) => [path, newHash ?? 'deleted'])),
    told: sorted(told as [string, string[]][]),
    requests: requestsOf(asked, runId),
    executions: await executionsOf(harness, handle),
  };
}

/** Distinct requests by call name. A correct run has exactly one for each. */
function requestsOf(asked: readonly ScriptedCall[], runId: string): Record<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const call of asked) {
    const digest = createHash('sha256')
      .update(neutral(JSON.stringify(call.request), runId))
      .digest('hex');
    found.set(callName(call), (found.get(callName(call)) ?? new Set()).add(digest));
  }
  return sorted([...found].map(([name, digests]) => [name, [...digests]]));
}

/**
 * Reads the server's own list, so that executions that nothing refers to are found too. The list lags behind a little.
 */
async function executionsOf({ client }: Outside, { workflowId }: { readonly workflowId: string }): Promise<number[]> {
  const executions = await until(async () => {
    const found = new Map<string, number>();
    for await (const execution of client.workflow.list({ query: `WorkflowId STARTS_WITH "${workflowId}"` })) {
      found.set(execution.workflowId, (found.get(execution.workflowId) ?? 0) + 1);
    }
    return found.size > expectedDelegations ? found : undefined;
  });
  return [...executions.values()];
}

function exchangesOf({ toolExchanges }: ScriptedCall): string[] {
  return toolExchanges.map(
    ({ name, result }) => `${name}: ${result?.isError === false ? 'ok' : 'failed'}: ${result?.text ?? ''}`,
  );
}

function neutral(text: string, runId: string): string {
  return text
    .replaceAll(runId, 'RUN')
    .replace(/\btoolu_[0-9a-f]{24}\b/g, 'CALL')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/\b[0-9a-z]{26}\b/g, 'DELEGATION')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, 'TIME');
}

function sorted<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Says how an observation differs from what was expected. */
export function differences(expected: Observation, observed: Observation): string[] {
  return (Object.keys(expected) as (keyof Observation)[])
    .filter((field) => !isDeepStrictEqual(observed[field], expected[field]))
    .map((field) => `${field}: ${firstDifference(expected[field], observed[field])}`);
}

/** One difference is enough to investigate, and showing all would fill screens. */
function firstDifference(expected: unknown, observed: unknown): string {
  if (typeof expected === 'object' && typeof observed === 'object' && expected !== null && observed !== null) {
    const [before, now] = [new Map(Object.entries(expected)), new Map(Object.entries(observed))];
    const name = [...before.keys(), ...now.keys()].find((key) => !isDeepStrictEqual(before.get(key), now.get(key)));
    if (name !== undefined) return `${name}: ${firstDifference(before.get(name), now.get(name))}`;
  }
  return `${JSON.stringify(observed)} instead of ${JSON.stringify(expected)}`;
}
