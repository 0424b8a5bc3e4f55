import { concat } from './bytes';
import { isBlank } from './markdown';
import { markerLines } from './markers';
import { PromptError, type PromptFailureType } from './prompt-error';
import { formatSectionPath, pathKey, type SectionPath, type SectionRange } from './sections';

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
function mergeRanges(ranges: readonly Range[]): Range[] {
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

/** A redaction as requested in an input. */
export interface RequestedRedaction {
  /** Section to redact; an empty path means the whole prompt. */
  readonly path: SectionPath;
  readonly reason: string;
}

/** Locates the requested redactions and computes what remains of the parent's prompt. */
export function redact(
  bytes: Uint8Array,
  sections: readonly SectionRange[],
  requested: readonly RequestedRedaction[],
): { applied: AppliedRedaction[]; embedding: Embedding } {
  const applied = locate(bytes, sections, requested);
  const embedding = computeEmbedding(bytes.length, sections, mergeRanges(applied));
  // If the whole prompt is redacted, no nesting remains that a missing marker could break.
  if (applied.length > 0 && embedding.bytes > 0) requireMarkersUntouched(bytes, applied, embedding);
  return { applied, embedding };
}

function locate(
  bytes: Uint8Array,
  sections: readonly SectionRange[],
  requested: readonly RequestedRedaction[],
): AppliedRedaction[] {
  const known = new Map(sections.map((section) => [pathKey(section.path), section]));
  known.set(pathKey([]), { path: [], start: 0, end: bytes.length });
  const seen = new Set<string>();
  return requested.map(({ path, reason }, index) => {
    const section = known.get(pathKey(path));
    if (section === undefined) throw unknownSection(path, index, sections);
    if (seen.has(pathKey(path)))
      throw refused(index, 'path', `${formatSectionPath(path)} is withheld twice`, 'List it once.');
    if (isBlank(reason))
      throw refused(index, 'reason', 'a redaction requires a reason', 'State why the section is withheld.');
    seen.add(pathKey(path));
    return { path, reason, start: section.start, end: section.end };
  });
}

/** Rejects redactions that remove or create a marker line, because nested prompts are found by their marker lines. */
function requireMarkersUntouched(bytes: Uint8Array, applied: readonly AppliedRedaction[], left: Embedding): void {
  const lines = markerLines(bytes);
  const hit = applied.findIndex(({ start, end }) => lines.some((line) => line.start < end && start < line.end));
  const remaining = concat(left.kept.map(({ start, end }) => bytes.subarray(start, end)));
  if (hit === -1 && markerLines(remaining).length === lines.length) return;
  throw refused(
    Math.max(hit, 0),
    'path',
    hit === -1 ? 'without this section the text would have different markers' : 'the section contains a marker line',
    'Withhold the sections between the markers one by one, or the whole prompt (an empty path).',
  );
}

function refused(index: number, key: string, reason: string, remediation: string): PromptError {
  const type: PromptFailureType = 'Prompt.InvalidRedaction';
  return new PromptError(type, `redactions[${index}].${key}`, reason, remediation);
}

function unknownSection(path: SectionPath, index: number, sections: readonly SectionRange[]): PromptError {
  const names = sections.map((section) => formatSectionPath(section.path));
  const shown = names.length > 20 ? [...names.slice(0, 20), '…'] : names;
  return new PromptError(
    'Prompt.UnknownSection',
    `redactions[${index}].path`,
    `the parent prompt has no section ${formatSectionPath(path)}`,
    names.length === 0
      ? 'Pass the section index of the parent prompt in parent.sections.'
      : `Use one of: ${shown.join(', ')}.`,
  );
}
