import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seeded } from '../../test/chaos/random';
import type { Cluster } from './cluster';
import type { Workers } from './workers';

const targets = ['worker', 'PostgreSQL', 'the S3 server'] as const;

/** Something that dies: when the model has received its `call`-th request, for `downMs`. */
export interface Fault {
  readonly target: (typeof targets)[number];
  readonly call: number;
  readonly downMs: number;
  /** Chooses the worker. */
  readonly which: number;
}

/** Returns what dies in a round, the same for the same seed. Everything dies at least once. */
export function faultsFor(seed: number, calls: number, count: number): Fault[] {
  const random: Random = seeded(seed);
  return Array.from({ length: Math.max(count, targets.length) }, (_, index) => ({
    target: targets[index] ?? targets[random(targets.length)] ?? 'worker',
    call: random(calls),
    downMs: random(1_500),
    which: random(100),
  })).sort((a, b) => a.call - b.call);
}

/** Kills something with SIGKILL, and starts it again on the same data; a worker on an empty disk. */
export async function inflict({ target, which, downMs }: Fault, cluster: Cluster, workers: Workers): Promise<string> {
  if (target === 'worker') return `worker ${await workers.replace(which)} killed and replaced`;
  const { service } = target === 'PostgreSQL' ? cluster.postgres : cluster.objects;
  await service.kill();
  await sleep(downMs);
  await service.start();
  return `${target} killed, and started again after ${downMs} ms`;
}
