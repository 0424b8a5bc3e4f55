import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ModelPort } from '../activities/dependencies';
import { defineTool } from '../activities/tool/define-tool';
import { defaultLimits, runWorkflowContract } from '../domain/agent';
import { runWorkflowId } from '../domain/kernel';
import type { RunWorkflow } from '../workflows/agent/run-workflow';
import { noise, turnsByValue, turnsOfBaton } from './workloads';
import type { rawByValue } from './raw/by-value';
import { GrowthMeter } from './support/growth-meter';
import { type BenchEnvironment, startEnvironment } from './support/environment';
import { batonQueue, batonWorker, rawQueue, rawWorker } from './support/workers';

const shownTurns = [10, 100, 500, 990];
const mostBytes = 3 * 1024;
const mostUneven = 1.1;

/** Measures how much history each turn of a long conversation adds, with Baton and with messages by value. */
export async function run(print: (line: string) => void): Promise<boolean> {
  const environment = await startEnvironment(require.resolve('./models/flat-history'));
  try {
    const byValue = await measureByValue(environment);
    const { meter: baton, bytes, executions } = await measureBaton(environment);
    const row = (turn: number, ...cells: readonly string[]): void =>
      print([`turn ${turn}`.padEnd(10), ...cells.map((cell) => cell.padStart(32))].join(''));
    print(['a turn'.padEnd(10), 'Baton'.padStart(32), 'messages by value'.padStart(32)].join(''));
    for (const turn of shownTurns) row(turn, cell(baton, turn), turn < turnsByValue ? cell(byValue, turn) : '–');
    print(
      `${turnsOfBaton} turns by Baton in ${executions} executions: ${Math.round(bytes / turnsOfBaton)} bytes per turn overall`,
    );
    return judge(
      print,
      shownTurns.map((turn) => baton.bytesPerTurn(turn)),
      bytes / turnsOfBaton,
    );
  } finally {
    await environment.close();
  }
}

function cell(meter: GrowthMeter, turn: number): string {
  const [all, model] = [meter.millisecondsPerTurn(turn), meter.modelMillisecondsPerTurn(turn)];
  return `${meter.bytesPerTurn(turn)} B, ${all.toFixed(0)} ms (${model.toFixed(0)} model)`;
}

function judge(print: (line: string) => void, perTurn: readonly number[], overall: number): boolean {
  const uneven = Math.max(...perTurn) / Math.min(...perTurn);
  const holds = Math.max(...perTurn, overall) <= mostBytes && uneven <= mostUneven;
  const figures = `at most ${Math.max(...perTurn)} bytes per turn, varying by ${((uneven - 1) * 100).toFixed(1)} %`;
  print(
    `${holds ? 'ok' : 'NOT FLAT'}: ${figures} (bounds: ${mostBytes} bytes, ${((mostUneven - 1) * 100).toFixed(0)} %)`,
  );
  return holds;
}

async function measureBaton(
  environment: BenchEnvironment,
): Promise<{ meter: GrowthMeter; bytes: number; executions: number }> {
  const runId = `bench-${randomUUID()}`;
  const workflowId = runWorkflowId(runId);
  const meter = new GrowthMeter(environment.client, workflowId, shownTurns);
  environment.run(await batonWorker({ ...environment, model: timed(environment.model, meter) }, [noiseTool(meter)]));
  await environment.client.workflow.execute<RunWorkflow>(runWorkflowContract.name, {
    workflowId,
    taskQueue: batonQueue,
    args: [
      {
        runId,
        goal: 'Make noise for a thousand turns.',
        model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 100_000_000 },
        limits: { ...defaultLimits, maxTurns: turnsOfBaton + 1 },
      },
    ],
  });
  return { meter, ...(await sizeOf(environment.client, workflowId)) };
}

async function measureByValue(environment: BenchEnvironment): Promise<GrowthMeter> {
  const workflowId = `by-value-${randomUUID()}`;
  const meter = new GrowthMeter(environment.client, workflowId, shownTurns);
  const tool = noiseTool(meter);
  const makeNoise = async (seed: number): Promise<string> => {
    await meter.at(seed);
    return noise(seed);
  };
  environment.run(
    await rawWorker(
      { ...environment, model: timed(environment.model, meter) },
      { tools: [tool.description], makeNoise },
    ),
  );
  await environment.client.workflow.execute<typeof rawByValue>('rawByValue', {
    workflowId,
    taskQueue: rawQueue,
    args: [turnsByValue],
  });
  return meter;
}

function noiseTool(meter: GrowthMeter): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'make_noise',
    id: 'bench/make_noise@1',
    description: 'Returns a long text.',
    parameters: z.strictObject({ seed: z.int() }),
    success: 'A text.',
    cost: 'None.',
    safeToRepeat: true,
    async run({ seed }) {
      await meter.at(seed);
      return { message: noise(seed) };
    },
  });
}

function timed(model: ModelPort, meter: GrowthMeter): ModelPort {
  return {
    ...model,
    async reply(request, signal) {
      const start = performance.now();
      const answer = await model.reply(request, signal);
      meter.modelAnswered((request.messages.length - 1) / 2, performance.now() - start);
      return answer;
    },
  };
}

/** Adds up all executions of the chain, because what continue-as-new carries over counts as well. */
async function sizeOf(client: Client, workflowId: string): Promise<{ bytes: number; executions: number }> {
  const found = client.workflow.list({ query: `WorkflowId = '${workflowId}'` });
  let bytes = 0;
  let executions = 0;
  for await (const { runId } of found) {
    bytes += (await client.workflow.getHandle(workflowId, runId).describe()).historySize ?? 0;
    executions += 1;
  }
  return { bytes, executions };
}
