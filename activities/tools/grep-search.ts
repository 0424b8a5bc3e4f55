import { setImmediate } from 'node:timers/promises';
import type { WorkspaceFile, WorkspaceView } from '../../domain/workspace/view';
import { decodeUtf8 } from '../../store/utf8';
import type { LineMatcher } from './grep-pattern';
import { cut } from './lines';

/** Files read ahead while others are searched. */
const batchSize = 16;
/** Enough for a workspace of any size that is allowed; a search that takes longer has a costly pattern. */
const maxSearchMs = 30_000;
/** How long other work of the process may be held up: heartbeats have to get through. */
const sliceMs = 50;
/** More of a line is not searched: no line of a text that people wrote is as long. */
export const maxSearchedLength = 20_000;
const maxShownLength = 300;
const shownBeforeMatch = 100;

export interface Findings {
  readonly lines: readonly string[];
  /** How many files were searched. */
  readonly files: number;
  readonly more: boolean;
  readonly outOfTime: boolean;
  /** Whether a line was too long to be searched as a whole. */
  readonly cutLines: boolean;
}

interface SearchLimits {
  readonly maxMatches: number;
  readonly signal: AbortSignal;
  readonly maxMs?: number;
}

export async function searchFiles(
  workspace: WorkspaceView,
  files: AsyncIterable<WorkspaceFile>,
  matches: LineMatcher,
  { maxMatches, signal, maxMs = maxSearchMs }: SearchLimits,
): Promise<Findings> {
  const search = new Search(matches, maxMatches, performance.now() + maxMs, signal);
  for await (const batch of inBatches(files)) {
    const contents = await Promise.all(batch.map(({ path }) => workspace.read(path)));
    for (const [index, bytes] of contents.entries()) {
      await search.file(batch[index]?.path ?? '', decodeUtf8(bytes) ?? '');
      if (search.done) return search.findings;
    }
  }
  return search.findings;
}

class Search {
  private readonly lines: string[] = [];
  private files = 0;
  private more = false;
  private outOfTime = false;
  private cutLines = false;
  private sliceEnd = performance.now() + sliceMs;

  constructor(
    private readonly matches: LineMatcher,
    private readonly maxMatches: number,
    private readonly deadline: number,
    private readonly signal: AbortSignal,
  ) {}

  get done(): boolean {
    return this.more || this.outOfTime;
  }

  get findings(): Findings {
    const { lines, files, more, outOfTime, cutLines } = this;
    return { lines, files, more, outOfTime, cutLines };
  }

  async file(path: string, text: string): Promise<void> {
    let number = 0;
    for (let start = 0; start < text.length && !this.done; number += 1) {
      const end = text.indexOf('\n', start);
      const line = text.slice(start, end === -1 ? text.length : end).replace(/\r$/, '');
      this.line(path, number + 1, line);
      start = end === -1 ? text.length : end + 1;
      if (performance.now() > this.sliceEnd) await this.pause();
    }
    this.files += 1;
  }

  private line(path: string, number: number, line: string): void {
    const whole = line.length <= maxSearchedLength;
    const at = this.matches(whole ? line : cut(line, 0, maxSearchedLength));
    if (!whole) this.cutLines = true;
    if (at === undefined) return;
    if (this.lines.length === this.maxMatches) this.more = true;
    else this.lines.push(`${path}:${number}: ${excerpt(line, at)}`);
  }

  private async pause(): Promise<void> {
    await setImmediate();
    this.signal.throwIfAborted();
    this.outOfTime = performance.now() > this.deadline;
    this.sliceEnd = performance.now() + sliceMs;
  }
}

/** The part of a long line around the match. */
function excerpt(line: string, at: number): string {
  if (line.length <= maxShownLength) return line;
  const start = Math.max(0, Math.min(at - shownBeforeMatch, line.length - maxShownLength));
  const end = start + maxShownLength;
  return `${start > 0 ? '…' : ''}${cut(line, start, end)}${end < line.length ? '…' : ''}`;
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
