import { concat } from './bytes';
import { isBlank } from './markdown';
import { markerLines } from './markers';
import { PromptError, type PromptFailureType } from './prompt-error';
import { complement, mergeRanges, type Range, RemovedRanges } from './ranges';
import { formatSectionPath, pathKey, type SectionPath, type SectionRange } from './sections';

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

/** Computes which parts of a parent's prompt remain when the given ranges are removed. */
export function computeEmbedding(
  length: number,
  sections: readonly SectionRange[],
  removed: readonly Range[],
): Embedding {
  const kept = complement(length, removed);
  const gaps = new RemovedRanges(removed);
  const left = sections.filter((section) => !gaps.contain(section));
  return {
    kept,
    bytes: kept.reduce((sum, { start, end }) => sum + end - start, 0),
    sections: left.map(({ path, start, end }) => ({
      path,
      start: start - gaps.bytesBefore(start),
      end: end - gaps.bytesBefore(end),
    })),
    inherited: left.map(({ path }) => path),
    withheld: sections.filter((section) => gaps.contain(section)).map(({ path }) => path),
  };
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
  const removed = mergeRanges(applied);
  const embedding = computeEmbedding(bytes.length, sections, removed);
  // If the whole prompt is redacted, no nesting remains that a missing marker could break.
  if (applied.length > 0 && embedding.bytes > 0) requireSameMarkers(bytes, applied, removed, embedding);
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

/**
 * Rejects redactions that remove, create or move a marker line, because nested prompts are found by their marker lines:
 * what remains must have the same ones at the same places.
 */
function requireSameMarkers(
  bytes: Uint8Array,
  applied: readonly AppliedRedaction[],
  removed: readonly Range[],
  left: Embedding,
): void {
  const gaps = new RemovedRanges(removed);
  const lines = markerLines(bytes);
  const cut = lines.find((line) => gaps.touch(line));
  const hit = cut === undefined ? -1 : applied.findIndex(({ start, end }) => cut.start < end && start < cut.end);
  const remaining = markerLines(concat(left.kept.map(({ start, end }) => bytes.subarray(start, end))));
  const isSame = lines.every(({ start }, index) => remaining[index]?.start === start - gaps.bytesBefore(start));
  if (hit === -1 && isSame && remaining.length === lines.length) return;
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
