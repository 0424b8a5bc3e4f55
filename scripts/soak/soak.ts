import { appendFile } from 'node:fs/promises';
import { plural } from '../../client/format';
import type { SoakPlan } from './plan';
import { measureFolder, type Reading, read } from './readings';
import type { Scene } from './scene';
import { continuesAfter, Traffic } from './traffic';

/** What a soak has found. */
export interface SoakResult {
  readonly readings: readonly Reading[];
  /** What went otherwise than expected, without the levels. */
  readonly violations: readonly string[];
}

type Say = (line: string) => void;

const readingsPerSoak = 120;
const drainMs = 180_000;

/** Keeps the workers busy, measures, and waits until every run has ended. Returns early if it is interrupted. */
export async function soak(plan: SoakPlan, scene: Scene, interrupted: AbortSignal, say: Say): Promise<SoakResult> {
  const durationMs = plan.minutes * 60_000;
  const over = new AbortController();
  const stop = AbortSignal.any([interrupted, over.signal]);
  const traffic = new Traffic(scene, stop, plan.keep * 1_000);
  const readings: Reading[] = [];
  const everyMs = Math.min(30_000, Math.max(2_000, durationMs / readingsPerSoak));
  const loops = [
    traffic.operate(),
    traffic.collect(),
    watch(scene, traffic, readings, { everyMs, stop, say, out: plan.out }),
  ];
  // A loop ends when it is stopped, or fails. A failure ends the soak.
  const failed = Promise.race(loops.map((loop) => loop.then(() => new Promise<never>(() => undefined))));
  failed.catch(() => undefined);
  try {
    await Promise.race([traffic.generate(plan.rate, durationMs), failed]);
    if (!interrupted.aborted) {
      say('no more runs are started; waiting for those that are open');
      await Promise.race([traffic.drain(drainMs), failed]);
    }
  } finally {
    over.abort();
    await Promise.allSettled(loops);
  }
  if (interrupted.aborted) return { readings, violations: traffic.violations };
  await traffic.deleteEnded(0);
  return { readings, violations: [...traffic.violations, ...(await remains(scene))] };
}

interface Watching {
  readonly everyMs: number;
  readonly stop: AbortSignal;
  readonly say: Say;
  readonly out: string | undefined;
}

/** Measures everything again and again while runs are started, and says about once a minute how far the soak has got. */
async function watch(
  scene: Scene,
  traffic: Traffic,
  readings: Reading[],
  { everyMs, stop, say, out }: Watching,
): Promise<void> {
  let said = 0;
  while (await continuesAfter(everyMs, stop)) {
    const dead = scene.workers.find(({ end }) => end !== undefined);
    if (dead !== undefined) throw new Error(`A worker has ended: ${dead.end ?? ''}.`);
    const reading = await read(scene);
    if (out !== undefined) await appendFile(out, `${JSON.stringify({ ...reading, ...traffic.counts })}\n`);
    // While the last runs end, less is in use than before.
    if (traffic.isGenerating) readings.push(reading);
    if (reading.at - said < 60_000) continue;
    said = reading.at;
    const { started, ended, answered, deleted } = traffic.counts;
    const runs = `${plural(started, 'run')} started, ${ended} ended, ${answered} times retried, ${deleted} deleted`;
    const memory = `${(reading.resident / 1024 ** 2).toFixed(0)} MiB a worker`;
    say(`${runs}; ${memory}; ${plural(reading.storeFiles, 'file')} in the store; ${reading.backlog} tasks wait`);
    for (const violation of traffic.violations.slice(-3)) say(`✗ ${violation}`);
  }
}

/** Returns what is left after every run has ended and its data was deleted. */
async function remains({ client, folders }: Scene): Promise<string[]> {
  const { count } = await client.workflow.count(`ExecutionStatus = 'Running'`);
  const { files, beingWritten } = await measureFolder(folders.store);
  const temporary = beingWritten + (await measureFolder(folders.temporary)).files;
  return [
    ...(count > 0 ? [`${plural(count, 'workflow')} still open after all runs have ended`] : []),
    // The file that identifies the store stays.
    ...(files > 1 ? [`${plural(files - 1, 'file')} left in the store after all runs were deleted`] : []),
    ...(temporary > 0 ? [`${plural(temporary, 'temporary file')} left`] : []),
  ];
}
