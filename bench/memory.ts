import { setTimeout as sleep } from 'node:timers/promises';
import { defaultLimits, runWorkflowContract } from '../domain/agent';
import { runWorkflowId } from '../domain/kernel';
import type { RunWorkflow } from '../workflows/agent/run-workflow';
import type { BenchContext, Benchmark, Row } from './runner/benchmark';
import { measured } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { newRunId } from './support/runs';
import { SandboxInspector } from './support/sandbox-inspector';
import { batonQueue, batonWorker } from './support/workers';

/** Memory that a worker's process needs for each open agent that waits, beyond the first ones. In bytes. */
interface MemoryPerAgent {
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

const name = 'memory.1000_agents';

/** Memory of open agents that wait for an operator, after they have called the model twice and a tool. */
export const memory: Benchmark = {
  names: [name],
  about: 'Memory of a worker per open agent that waits, and per agent that its cache no longer holds.',
  async run(context) {
    // Before the workers, because it only sees threads that start later.
    const inspector = new SandboxInspector();
    try {
      const environment = await context.environment('idle');
      const agents = context.quick ? 2 : 1_000;
      const open = await perAgent(context, environment, inspector, { agents, cached: agents + 100 });
      const evicted = context.quick
        ? open
        : await perAgent(context, environment, inspector, { agents: 400, cached: 50 });
      const row = (suffix: string, bytes: number): Row =>
        measured({ name: `${name}${suffix}`, unit: 'KB/agent', wants: 'less' }, [bytes / 1024]);
      return [
        row('', open.resident),
        row('.sandbox_heap', open.sandbox),
        row('.main_heap', open.main),
        row('.evicted', evicted.sandbox + evicted.main),
      ];
    } finally {
      inspector.close();
    }
  },
};

/** Measures what one more agent needs, with a worker that keeps some of them in its cache. */
async function perAgent(
  { log }: BenchContext,
  environment: BenchEnvironment,
  inspector: SandboxInspector,
  { agents, cached }: { readonly agents: number; readonly cached: number },
): Promise<MemoryPerAgent> {
  environment.run(await batonWorker(environment, { cachedWorkflows: cached }));
  const others = await waiting(environment);
  const before = await readingWith(environment, inspector, Math.min(first, Math.ceil(agents / 2)), others);
  const after = await readingWith(environment, inspector, agents, others);
  await environment.stopWorkers();
  const more = (of: keyof MemoryPerAgent): number => (after[of] - before[of]) / (after.agents - before.agents);
  const figures = { sandbox: more('sandbox'), main: more('main'), resident: more('resident') };
  log(
    `${agents} agents, ${cached} in the cache: per agent ${figures.sandbox.toFixed(0)} bytes on the heap of the sandbox, ` +
      `${figures.main.toFixed(0)} on that of the main thread, ${figures.resident.toFixed(0)} resident`,
  );
  return figures;
}

/** Opens agents until there are this many besides the others, and reads the memory when all of them wait. */
async function readingWith(
  environment: BenchEnvironment,
  inspector: SandboxInspector,
  agents: number,
  others: number,
): Promise<Reading> {
  const own = async (): Promise<number> => (await waiting(environment)) - others;
  for (let open = await own(); open < agents; open = await own()) {
    const more = Math.min(startedAtOnce, agents - open);
    await Promise.all(Array.from({ length: more }, () => startAgent(environment)));
    while ((await own()) < open + more) await sleep(100);
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
