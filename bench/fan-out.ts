import { randomUUID } from 'node:crypto';
import { defaultLimits } from '../domain/agent/settings';
import { runWorkflowId } from '../domain/ids';
import type { RunWorkflow } from '../workflows/run';
import { childrenPerWave, waves } from './fan-out-shape';
import type { rawFanOut } from './raw/fan-out';
import { setUpStand, type Stand } from './support/stand';
import { median, seconds } from './support/statistics';
import { batonQueue, batonWorker, rawQueue, rawWorker } from './support/workers';

const pairs = 7;
const leastShare = 0.8;
const children = waves * childrenPerWave;

/** A parent that delegates to a hundred children, by Baton and by hand: same server, same number of activities. */
export async function run(print: (line: string) => void): Promise<boolean> {
  const stand = await setUpStand(require.resolve('./models/fan-out'));
  try {
    stand.run(await batonWorker(stand));
    stand.run(await rawWorker(stand));
    await batonFanOut(stand);
    await rawByHand(stand);
    const ratios: number[] = [];
    const [baton, raw]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < pairs; pair += 1) {
      const b = await seconds(() => batonFanOut(stand));
      const r = await seconds(() => rawByHand(stand));
      baton.push(children / b);
      raw.push(children / r);
      ratios.push(r / b);
      print(`baton ${b.toFixed(2)} s, raw ${r.toFixed(2)} s, ratio ${(r / b).toFixed(2)}`);
    }
    const share = median(ratios);
    print(`${median(baton).toFixed(1)} / ${median(raw).toFixed(1)} children/s: ${share.toFixed(2)}`);
    return share >= leastShare;
  } finally {
    await stand.close();
  }
}

async function batonFanOut({ client }: Stand): Promise<unknown> {
  const runId = `bench-${randomUUID()}`;
  return client.workflow.execute<RunWorkflow>('runWorkflow', {
    workflowId: runWorkflowId(runId),
    taskQueue: batonQueue,
    args: [
      {
        runId,
        goal: `Delegate a hundred tasks (${runId}).`,
        model: { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 },
        limits: defaultLimits,
      },
    ],
  });
}

async function rawByHand({ client }: Stand): Promise<unknown> {
  return client.workflow.execute<typeof rawFanOut>('rawFanOut', {
    workflowId: `raw-${randomUUID()}`,
    taskQueue: rawQueue,
    args: [Array.from({ length: waves }, () => childrenPerWave)],
  });
}
