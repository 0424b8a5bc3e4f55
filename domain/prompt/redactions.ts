import { concat } from './bytes';
import { isBlank } from './markdown';
import { markerLines } from './markers';
import type { PromptFailureType } from './prompt-error';
import { PromptError } from './prompt-error';
import type { AppliedRedaction, Embedding } from './redaction';
import { computeEmbedding, mergeRanges } from './redaction';
import type { SectionPath, SectionRange } from './sections';
import { pathKey, formatSectionPath } from './sections';

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
