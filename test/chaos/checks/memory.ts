import type { WorkerReport } from '../session/worker-plan';
import type { ChaosWorker } from '../session/workers';
import type { Check } from './look';

/** How much more heap a worker may use after a round than after the first one that it survived. */
const toleranceBytes = 40 * 1024 * 1024;

const levels = new WeakMap<ChaosWorker, number>();

/** The memory of each worker is back to what it was after its first round. */
export const memoryIsBack: Check = ({ reports }) =>
  [...reports].flatMap(([worker, report]) => growthOf(worker, report));

function growthOf(worker: ChaosWorker, { heapBytes: now }: WorkerReport): string[] {
  const level = levels.get(worker);
  if (level === undefined) levels.set(worker, now);
  if (level === undefined || now <= level + toleranceBytes) return [];
  return [`worker ${worker.process.pid} uses ${megabytes(now)} of heap after ${megabytes(level)}`];
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
