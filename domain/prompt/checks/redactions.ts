import { concat } from '../bytes';
import { isBlank } from '../markdown';
import { markerLines } from '../markers';
import type { PromptFailureType } from '../prompt-error';
import { PromptError } from '../prompt-error';
import type { AppliedRedaction, Embedding } from '../redaction';
import { embeddingOf, merged } from '../redaction';
import type { SectionPath, SectionRange } from '../section-path';
import { pathKey, showPath } from '../section-path';

export interface RequestedRedaction {
  /** An empty path is the whole prompt. */
  readonly path: SectionPath;
  readonly reason: string;
}

/** Looks up what is to be withheld, and what is left then. */
export function redact(
  bytes: Uint8Array,
  sections: readonly SectionRange[],
  requested: readonly RequestedRedaction[],
): { applied: AppliedRedaction[]; embedding: Embedding } {
  const applied = locate(bytes, sections, requested);
  const embedding = embeddingOf(bytes.length, sections, merged(applied));
  // With the whole prompt gone there is no nesting left that a missing marker could confuse.
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
    if (seen.has(pathKey(path))) throw refused(index, 'path', `${showPath(path)} is withheld twice`, 'Name it once.');
    if (isBlank(reason)) throw refused(index, 'reason', 'a redaction needs a reason', 'Say why it is withheld.');
    seen.add(pathKey(path));
    return { path, reason, start: section.start, end: section.end };
  });
}

/** Nested prompts are found by their marker lines: taking one out, or making one by what is left, would lose an ancestor. */
function requireMarkersUntouched(bytes: Uint8Array, applied: readonly AppliedRedaction[], left: Embedding): void {
  const lines = markerLines(bytes);
  const hit = applied.findIndex(({ start, end }) => lines.some((line) => line.start < end && start < line.end));
  const remaining = concat(left.kept.map(({ start, end }) => bytes.subarray(start, end)));
  if (hit === -1 && markerLines(remaining).length === lines.length) return;
  throw refused(
    Math.max(hit, 0),
    'path',
    hit === -1 ? 'without this section the text has other markers than before' : 'the section contains a marker line',
    'Withhold the sections between the markers one by one, or the whole prompt (an empty path).',
  );
}

function refused(index: number, key: string, reason: string, remediation: string): PromptError {
  const type: PromptFailureType = 'Prompt.InvalidRedaction';
  return new PromptError(type, `redactions[${index}].${key}`, reason, remediation);
}

function unknownSection(path: SectionPath, index: number, sections: readonly SectionRange[]): PromptError {
  const names = sections.map((section) => showPath(section.path));
  const shown = names.length > 20 ? [...names.slice(0, 20), '…'] : names;
  return new PromptError(
    'Prompt.UnknownSection',
    `redactions[${index}].path`,
    `the parent prompt has no section ${showPath(path)}`,
    names.length === 0
      ? 'Give the section index of the parent prompt in parent.sections.'
      : `Name one of: ${shown.join(', ')}.`,
  );
}
