import { setImmediate } from 'node:timers/promises';
import { RE2JS } from 're2js';
import type { WorkspaceFile, WorkspaceView } from '../../../domain/workspace';
import { decodeUtf8 } from '../../../store/blobs';
import { ToolError } from '../define-tool';
import { sliceCharacters } from './lines';

/** Files read ahead while others are searched, and the bytes after which no further file is added to them. */
const batchSize = 16;
const batchBytes = 4 * 1024 * 1024;
/** Maximum duration of a search. It is enough for the largest workspace; a longer search has a costly pattern. */
const maxSearchMs = 30_000;
/** Maximum milliseconds without yielding to other work of the process, such as heartbeats. */
const sliceMs = 50;
/** Maximum characters of a line that are searched. Text written by people has no lines of this length. */
export const maxSearchedLength = 20_000;
/** Maximum characters shown of a line, and how many of them precede the match. */
const maxShownLength = 300;
const shownBeforeMatch = 100;

/** Result of a search. */
export interface SearchResult {
  /** Matching lines as `path:line: text`. */
  readonly lines: readonly string[];
  /** Number of files that were searched. */
  readonly files: number;
  /** Whether there are more matches than the limit. */
  readonly more: boolean;
  /** Whether the search was stopped because it took too long. */
  readonly outOfTime: boolean;
  /** Whether a line was too long to be searched completely. */
  readonly cutLines: boolean;
}

interface SearchLimits {
  readonly maxMatches: number;
  readonly signal: AbortSignal;
  readonly maxMs?: number;
}

/** Searches files line by line, in order, until a limit is reached. */
export async function searchFiles(
  workspace: WorkspaceView,
  files: AsyncIterable<WorkspaceFile>,
  matches: LineMatcher,
  { maxMatches, signal, maxMs = maxSearchMs }: SearchLimits,
): Promise<SearchResult> {
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

  get findings(): SearchResult {
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
    const at = this.matches(whole ? line : sliceCharacters(line, 0, maxSearchedLength));
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

/** Returns the part of a long line around the match. */
function excerpt(line: string, at: number): string {
  if (line.length <= maxShownLength) return line;
  const start = Math.max(0, Math.min(at - shownBeforeMatch, line.length - maxShownLength));
  const end = start + maxShownLength;
  return `${start > 0 ? '…' : ''}${sliceCharacters(line, start, end)}${end < line.length ? '…' : ''}`;
}

async function* inBatches(files: AsyncIterable<WorkspaceFile>): AsyncGenerator<WorkspaceFile[]> {
  let batch: WorkspaceFile[] = [];
  let bytes = 0;
  for await (const file of files) {
    batch.push(file);
    bytes += file.bytes;
    if (batch.length < batchSize && bytes < batchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const maxPatternLength = 500;

/** Returns the position of the first match in a line; undefined when nothing matches. */
export type LineMatcher = (line: string) => number | undefined;

/**
 * Compiles a pattern with RE2, which takes time in proportion to the line, whatever the pattern. Models write patterns,
 * and a JavaScript expression that backtracks endlessly would block the whole worker.
 */
export function compilePattern(pattern: string, ignoreCase: boolean): LineMatcher {
  if (pattern.length > maxPatternLength) {
    throw new ToolError(`The pattern is longer than ${maxPatternLength} characters.`);
  }
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (line) => {
      // `test` alone is several times faster, and most lines do not match.
      if (!compiled.test(line)) return undefined;
      const matcher = compiled.matcher(line);
      return matcher.find() ? matcher.start() : undefined;
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(`Invalid pattern (${reason}). Use RE2 syntax: no lookaround, no backreferences.`);
  }
}
