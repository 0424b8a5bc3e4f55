import { setTimeout as sleep } from 'node:timers/promises';
import { defaultLimits, runWorkflowContract } from '../domain/agent';
import { runWorkflowId } from '../domain/kernel';
import type { RunWorkflow } from '../workflows/agent/run-workflow';
import { type BenchEnvironment, startEnvironment } from './support/environment';
import { newRunId } from './support/runs';
import { SandboxInspector } from './support/sandbox-inspector';
import { batonQueue, batonWorker } from './support/workers';

/** Memory that a worker's process needs for each open agent that waits, beyond the first ones. In bytes. */
export interface MemoryPerAgent {
  /** Objects on the heap of the thread that runs workflows. */
  readonly sandbox: number;
  /** Objects on the heap of the main thread. */
  readonly main: number;
  /** Resident memory of the process: also the SDK's native part, and what the heaps have reserved. */
  readonly resident: number;
}

interface Reading extends MemoryPerAgent {
  readonly agents: number;
}

/** Agents that are open before the first reading: code is compiled and caches are filled by then. */
const first = 100;
const startedAtOnce = 20;

/**
 * Measures the memory of open agents that wait for an operator, after they have called the model twice and a tool.
 * `cachedWorkflows` is the option of the worker: with fewer than the agents, it measures what agents cost that are not
 * kept in memory.
 */
export async function measureMemory({
  agents = 1_000,
  cachedWorkflows = agents + 100,
}: { readonly agents?: number; readonly cachedWorkflows?: number } = {}): Promise<MemoryPerAgent> {
  const inspector = new SandboxInspector();
  const environment = await startEnvironment(require.resolve('./models/idle'));
  try {
    environment.run(await batonWorker(environment, [], { cachedWorkflows }));
    const before = await readingWith(environment, inspector, Math.min(first, Math.ceil(agents / 2)));
    const after = await readingWith(environment, inspector, agents);
    const perAgent = (of: keyof MemoryPerAgent): number => (after[of] - before[of]) / (after.agents - before.agents);
    return { sandbox: perAgent('sandbox'), main: perAgent('main'), resident: perAgent('resident') };
  } finally {
    await environment.close();
    inspector.close();
  }
}

/** Opens agents until there are this many, and reads the memory when all of them wait. */
async function readingWith(
  environment: BenchEnvironment,
  inspector: SandboxInspector,
  agents: number,
): Promise<Reading> {
  for (let open = await waiting(environment); open < agents; open = await waiting(environment)) {
    const more = Math.min(startedAtOnce, agents - open);
    await Promise.all(Array.from({ length: more }, () => startAgent(environment)));
    while ((await waiting(environment)) < open + more) await sleep(100);
  }
  const main = await inspector.mainHeapBytes();
  const sandbox = await inspector.heapBytes();
  return { agents, main, sandbox, resident: process.memoryUsage.rss() };
}

async function waiting({ client }: BenchEnvironment): Promise<number> {
  const { count } = await client.workflow.count('BatonStatus = "needs_operator"');
  return count;
}

async function startAgent({ client }: BenchEnvironment): Promise<void> {
  const runId = newRunId();
  await client.workflow.start<RunWorkflow>(runWorkflowContract.name, {
    workflowId: runWorkflowId(runId),
    taskQueue: batonQueue,
    args: [
      {
        runId,
        goal: `Wait for an operator (${runId}).`,
        ask: true,
        model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
        limits: defaultLimits,
      },
    ],
  });
}
