/** A byte range; `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Merges overlapping and adjacent ranges and drops empty ranges. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const sorted = ranges.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  const result: Range[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last !== undefined && range.start <= last.end) {
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    } else result.push({ start: range.start, end: range.end });
  }
  return result;
}

/** Returns the ranges of a text that remain when sorted, separate ranges are removed. */
export function complement(length: number, removed: readonly Range[]): Range[] {
  const edges = [0, ...removed.flatMap(({ start, end }) => [start, end]), length];
  const kept: Range[] = [];
  for (let i = 0; i < edges.length; i += 2) {
    const range = { start: edges[i] ?? 0, end: edges[i + 1] ?? length };
    if (range.end > range.start) kept.push(range);
  }
  return kept;
}

/** Removed ranges that are sorted and do not touch, with fast answers about positions. */
export class RemovedRanges {
  private readonly before: readonly number[];

  constructor(private readonly ranges: readonly Range[]) {
    let sum = 0;
    this.before = ranges.map(({ start, end }) => (sum += end - start) - (end - start));
  }

  /** Whether a section is removed. An empty section at the end of a removed range is kept. */
  contain({ start, end }: Range): boolean {
    const range = this.ranges[this.lastStartingAt(start)];
    return range !== undefined && end <= range.end && (start < end || start < range.end);
  }

  /** Returns the number of removed bytes before a position. */
  bytesBefore(at: number): number {
    const index = this.lastStartingAt(at);
    const range = this.ranges[index];
    return range === undefined ? 0 : (this.before[index] ?? 0) + Math.min(at, range.end) - range.start;
  }

  /** Whether a range has bytes in common with a removed one. */
  touch({ start, end }: Range): boolean {
    return this.bytesBefore(end) > this.bytesBefore(start);
  }

  /** Returns the index of the last range that starts at or before a position; -1 if there is none. */
  private lastStartingAt(at: number): number {
    let [low, high] = [0, this.ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ranges[middle]?.start ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
