// Starts a cluster on this machine and shows that Baton works on it: `npm run cluster`, see docs/deploy.md.
import { parseArgs } from 'node:util';
import { type Interruption, interruptedCode, watchInterruption } from '../interruption';
import { measureCapacity } from './capacity';
import { type Cluster, startCluster } from './cluster';
import { compare, playRound } from './round';
import { openSharedStore } from './shared-store';
import { goPrograms, obtain } from './services/go-programs';
import { playStories } from './stories';

const help = `Starts PostgreSQL, a Temporal server on it, an S3 server and three workers with separate empty disks; plays the
stories of the demo; then kills workers, PostgreSQL and the S3 server while trees of delegations run, and checks the results.

  --short        one small round, without the stories
  --seed <n>     chooses what dies when (default: by the clock; it is printed)
  --rounds <n>   rounds of kills (default: 3)
  --capacity     measure what turns and delegations cost, instead of the above (docs/scale.md)
  --build        only build the programs, and end
  --keep         keep the cluster running until Ctrl-C

The exit code is 0 only if everything held.`;

interface Plan {
  readonly isShort: boolean;
  readonly measures: boolean;
  readonly onlyBuilds: boolean;
  readonly keeps: boolean;
  readonly seed: number;
  readonly rounds: number;
}

const since = Date.now();

function say(line: string): void {
  process.stdout.write(`${((Date.now() - since) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
}

async function main(plan: Plan): Promise<number> {
  const interruption = watchInterruption(say);
  for (const programs of Object.values(goPrograms)) await obtain(programs, say);
  if (plan.onlyBuilds || interruption.signal.aborted) return interruption.signal.aborted ? interruptedCode : 0;
  const starting = startCluster(say);
  const work = starting.then((cluster) => (plan.measures ? measureCapacity(cluster, say) : prove(cluster, plan)));
  work.catch(() => undefined);
  try {
    const violations = await Promise.race([work, interruption.came]);
    if (violations === undefined) return interruptedCode;
    for (const violation of violations) say(`✗ ${violation}`);
    say(violations.length === 0 ? 'everything held' : `${violations.length} violations, seed ${plan.seed}`);
    if (plan.keeps) await keep(await starting, interruption);
    return violations.length === 0 ? 0 : 1;
  } finally {
    await (await starting.catch(() => undefined))?.close();
  }
}

async function prove(cluster: Cluster, { isShort, seed, rounds }: Plan): Promise<string[]> {
  const store = await openSharedStore(cluster.env);
  try {
    const violations: string[] = [];
    if (!isShort) {
      say('the stories of the demo:');
      violations.push(...(await playStories(cluster, say)));
    }
    const undisturbed = await playRound(cluster, store, { seed, runs: 1, kills: 0 }, say);
    const [expected] = undisturbed.observations;
    say(`an undisturbed run: ${undisturbed.calls} calls`);
    violations.push(...undisturbed.violations);
    for (let index = 0; index < (isShort ? 1 : rounds); index += 1) {
      const wanted = { seed: seed + index, runs: isShort ? 2 : 4, kills: isShort ? 3 : 6 };
      say(`round with seed ${wanted.seed}: ${wanted.runs} runs, ${wanted.kills} kills`);
      const round = await playRound(cluster, store, wanted, say);
      const found = [...round.violations, ...(expected === undefined ? [] : compare(round, expected))];
      say(`  ${round.calls} calls, ${round.repeated} repeated, ${found.length} violations`);
      violations.push(...found.map((what) => `seed ${wanted.seed}: ${what}`));
    }
    return violations;
  } finally {
    await store.close?.();
  }
}

async function keep({ env }: Cluster, { came }: Interruption): Promise<void> {
  say('the cluster runs until Ctrl-C. To use it:');
  for (const [name, value] of Object.entries(env)) process.stdout.write(`export ${name}='${value}'\n`);
  await came;
}

function planOf(args: string[]): Plan | undefined {
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ short: flag, keep: flag, help: flag, capacity: flag, build: flag },
      ...{ seed: { type: 'string' }, rounds: { type: 'string' } },
    },
  });
  if (values.help === true) return undefined;
  return {
    isShort: values.short === true,
    measures: values.capacity === true,
    onlyBuilds: values.build === true,
    keeps: values.keep === true,
    seed: wholeNumber('seed', values.seed ?? String(Date.now() % 1_000_000)),
    rounds: wholeNumber('rounds', values.rounds ?? '3'),
  };
}

function wholeNumber(name: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new Error(`--${name} wants a whole number, not "${value}"`);
}

Promise.resolve(process.argv.slice(2))
  .then(planOf)
  .then((plan) => {
    if (plan !== undefined) return main(plan);
    process.stdout.write(`${help}\n`);
    return 0;
  })
  .then((code) => process.exit(code))
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  });
