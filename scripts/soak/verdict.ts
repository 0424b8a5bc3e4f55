import type { Reading } from './readings';

const MiB = 1024 * 1024;

/** A line of the table: what is measured, and how much more of it the last quarter may have than the first. */
interface Line {
  readonly name: string;
  readonly field: Exclude<keyof Reading, 'at'>;
  /** Divides the value for the table. */
  readonly unit: number;
  /** The last level may be this share above the first, plus `plus`. Undefined for what may grow. */
  readonly tolerance?: { readonly share: number; readonly plus: number };
}

/** Memory that processes have got from the system is returned late or never, so its tolerance is wider than a heap's. */
const lines: readonly Line[] = [
  {
    name: 'resident memory of a worker, MiB',
    field: 'resident',
    unit: MiB,
    tolerance: { share: 0.15, plus: 30 * MiB },
  },
  { name: 'heap of its main thread, MiB', field: 'mainHeap', unit: MiB, tolerance: { share: 0.1, plus: 3 * MiB } },
  {
    name: 'heap of its workflow threads, MiB',
    field: 'sandboxHeap',
    unit: MiB,
    tolerance: { share: 0.1, plus: 3 * MiB },
  },
  { name: 'open files of a worker', field: 'openFiles', unit: 1, tolerance: { share: 0.1, plus: 10 } },
  { name: 'temporary files', field: 'temporaryFiles', unit: 1, tolerance: { share: 0, plus: 10 } },
  { name: 'store, MiB', field: 'storeBytes', unit: MiB, tolerance: { share: 0.2, plus: 1 * MiB } },
  { name: 'files of the store', field: 'storeFiles', unit: 1, tolerance: { share: 0.2, plus: 500 } },
  { name: 'tasks that wait in queues', field: 'backlog', unit: 1, tolerance: { share: 0, plus: 20 } },
  { name: 'open workflows', field: 'openWorkflows', unit: 1, tolerance: { share: 0.2, plus: 20 } },
  { name: 'memory of the server, MiB', field: 'serverMemory', unit: MiB },
  { name: 'database of the server, MiB', field: 'serverDatabase', unit: MiB },
];

/** The levels of one measurement. */
interface Level {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly most: number;
  /** Undefined if it may grow, because the server keeps closed workflows until their retention period has passed. */
  readonly limit: number | undefined;
  readonly isExceeded: boolean;
}

/** Compares the first quarter with the last one, each by its median, without the time in which caches were filled. */
export function levelsOf(readings: readonly Reading[], warmUpMs: number): Level[] {
  const begun = (readings[0]?.at ?? 0) + warmUpMs;
  const steady = readings.filter(({ at }) => at >= begun);
  const quarter = Math.max(1, Math.floor(steady.length / 4));
  return lines.map(({ name, field, unit, tolerance }) => {
    const valuesOf = (some: readonly Reading[]): number[] => some.map((reading) => reading[field] / unit);
    const first = median(valuesOf(steady.slice(0, quarter)));
    const last = median(valuesOf(steady.slice(-quarter)));
    const limit = tolerance === undefined ? undefined : first * (1 + tolerance.share) + tolerance.plus / unit;
    const most = Math.max(...valuesOf(readings));
    return { name, first, last, most, limit, isExceeded: limit !== undefined && last > limit };
  });
}

/** Formats the table. Without `isJudged`, the levels have no verdict. */
export function tableOf(levels: readonly Level[], isJudged: boolean): string[][] {
  const head = ['', 'first quarter', 'last quarter', 'most', 'allowed', ...(isJudged ? ['verdict'] : [])];
  const rows = levels.map(({ name, first, last, most, limit, isExceeded }) => [
    name,
    ...[first, last, most].map(figure),
    limit === undefined ? 'any' : figure(limit),
    ...(isJudged ? [limit === undefined ? '' : isExceeded ? 'GROWS' : 'level'] : []),
  ]);
  return [head, ...rows];
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
