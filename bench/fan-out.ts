import { randomUUID } from 'node:crypto';
import { builtInTools } from '../activities/tool/builtin';
import { defaultLimits } from '../domain/agent';
import { dispatchSubagentTool } from '../domain/delegation';
import { childrenPerWave, waves } from './workloads';
import { countActivities, newRunId, playRun } from './support/runs';
import { type BenchEnvironment, startEnvironment } from './support/environment';
import { median, seconds } from './support/statistics';
import { batonWorker, rawQueue, rawWorker } from './support/workers';

const rounds = 9;
const leastShare = 0.8;
const children = waves * childrenPerWave;
/**
 * Activities of one measured run: opening, a model call before each wave and one after the last, and one composition
 * per child; in each child a model call, a tool and a model call.
 */
const activities = 1 + (waves + 1) + children + 3 * children;

type Print = (line: string) => void;
/** Runs one workflow to its end and returns its id. */
type Contender = (environment: BenchEnvironment) => Promise<string>;

/**
 * Runs a parent that delegates to a hundred children, with Baton and with hand-written workflows: same server,
 * settings, model, model requests and number of activities. A third variant, whose activities do nothing, is for
 * comparison.
 */
export async function run(print: Print): Promise<boolean> {
  const environment = await startEnvironment(require.resolve('./models/fan-out'));
  try {
    environment.run(await batonWorker(environment));
    environment.run(
      await rawWorker(environment, {
        tools: [...builtInTools.map((tool) => tool.description), dispatchSubagentTool()],
      }),
    );
    for (const contender of [byBaton, byHand, bare]) await check(environment, await contender(environment));
    const taken = await race(environment, [byBaton, byHand, bare], print);
    return judge(taken, print);
  } finally {
    await environment.close();
  }
}

/** Checks during warm-up that all variants run the same number of activities. */
async function check({ client }: BenchEnvironment, workflowId: string): Promise<void> {
  const counted = await countActivities(client, workflowId);
  if (counted !== activities) throw new Error(`${workflowId} ran ${counted} activities instead of ${activities}`);
}

/**
 * Alternates between the variants, reversing the order every other round, so that other load on the machine affects all
 * of them equally.
 */
async function race(
  environment: BenchEnvironment,
  contenders: readonly Contender[],
  print: Print,
): Promise<number[][]> {
  const taken: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const times = new Map<Contender, number>();
    const order = round % 2 === 0 ? contenders : [...contenders].reverse();
    for (const contender of order) times.set(contender, await seconds(() => contender(environment)));
    const inOrder = contenders.map((contender) => times.get(contender)!);
    taken.push(inOrder);
    print(`round ${round + 1}: ${inOrder.map((time) => `${time.toFixed(2)} s`).join(', ')}`);
  }
  return taken;
}

function judge(taken: readonly (readonly number[])[], print: Print): boolean {
  const throughput = (index: number): string => (children / median(taken.map((times) => times[index]!))).toFixed(1);
  print(
    `children/s: Baton ${throughput(0)}, by hand ${throughput(1)}, bare ${throughput(2)} (${activities} activities each)`,
  );
  const share = (index: number): number => median(taken.map((times) => times[index]! / times[0]!));
  const holds = share(1) >= leastShare;
  print(`${holds ? 'ok' : 'TOO SLOW'}: ${share(1).toFixed(2)} of the hand-written throughput, at least ${leastShare}`);
  print(
    `for comparison: ${share(2).toFixed(2)} of the throughput of activities that do nothing, without a model and without prompts`,
  );
  return holds;
}

async function byBaton(environment: BenchEnvironment): Promise<string> {
  const { workflowId } = await playRun(environment, {
    runId: newRunId(),
    goal: 'Delegate a hundred tasks.',
    model: { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 },
    limits: defaultLimits,
  });
  return workflowId;
}

async function byHand({ client }: BenchEnvironment): Promise<string> {
  const workflowId = `raw-${randomUUID()}`;
  await client.workflow.execute('rawFanOut', { workflowId, taskQueue: rawQueue });
  return workflowId;
}

async function bare({ client }: BenchEnvironment): Promise<string> {
  const workflowId = `bare-${randomUUID()}`;
  await client.workflow.execute('bareFanOut', { workflowId, taskQueue: rawQueue });
  return workflowId;
}
