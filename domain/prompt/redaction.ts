import type { SectionPath, SectionRange } from './sections';

/** A byte range; `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A redacted section, with its byte range in the parent's prompt. */
export interface AppliedRedaction extends Range {
  readonly path: SectionPath;
  readonly reason: string;
}

/** The parent's prompt after redaction: the byte ranges that are kept, and the sections that are inherited or withheld. */
export interface Embedding {
  readonly kept: readonly Range[];
  readonly bytes: number;
  /** The parent's sections that are kept, with byte ranges in the embedded text. */
  readonly sections: readonly SectionRange[];
  readonly inherited: readonly SectionPath[];
  readonly withheld: readonly SectionPath[];
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

/** Computes which parts of a parent's prompt remain when the given ranges are removed. */
export function computeEmbedding(
  length: number,
  sections: readonly SectionRange[],
  removed: readonly Range[],
): Embedding {
  const kept = complement(length, removed);
  const left = sections.filter((section) => !isInside(section, removed));
  return {
    kept,
    bytes: kept.reduce((sum, { start, end }) => sum + end - start, 0),
    sections: left.map(({ path, start, end }) => ({
      path,
      start: start - removedBefore(start, removed),
      end: end - removedBefore(end, removed),
    })),
    inherited: left.map(({ path }) => path),
    withheld: sections.filter((section) => isInside(section, removed)).map(({ path }) => path),
  };
}

function complement(length: number, removed: readonly Range[]): Range[] {
  const edges = [0, ...removed.flatMap(({ start, end }) => [start, end]), length];
  const kept: Range[] = [];
  for (let i = 0; i < edges.length; i += 2) {
    const range = { start: edges[i] ?? 0, end: edges[i + 1] ?? length };
    if (range.end > range.start) kept.push(range);
  }
  return kept;
}

function isInside({ start, end }: Range, removed: readonly Range[]): boolean {
  return removed.some((range) => range.start <= start && end <= range.end && (start < end || start < range.end));
}

function removedBefore(at: number, removed: readonly Range[]): number {
  return removed.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(at, end) - start), 0);
}
