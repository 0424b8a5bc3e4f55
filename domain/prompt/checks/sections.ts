import { splitsCodePoint } from '../bytes';
import { PromptError } from '../prompt-error';
import type { SectionRange } from '../sections';
import { pathKey, formatSectionPath } from '../sections';

/** Checks that a section index matches the text. With a wrong index, a redaction would withhold the wrong text. */
export function validateSectionIndex(bytes: Uint8Array, sections: readonly SectionRange[]): void {
  const seen = new Set<string>();
  sections.forEach(({ path, start, end }, index) => {
    const wrong = (reason: string, key = ''): PromptError =>
      new PromptError(
        'Prompt.InvalidSections',
        `parent.sections[${index}]${key}`,
        `section ${formatSectionPath(path)} ${reason}`,
        'Pass the section index of the rendered prompt unchanged. Its start and end count UTF-8 bytes.',
      );
    if (end < start) throw wrong('ends before it starts', '.end');
    if (end > bytes.length) throw wrong(`ends at byte ${end}, but the prompt has ${bytes.length}`, '.end');
    if (splitsCodePoint(bytes, start)) throw wrong('starts in the middle of a character', '.start');
    if (splitsCodePoint(bytes, end)) throw wrong('ends in the middle of a character', '.end');
    if (seen.has(pathKey(path))) throw wrong('is listed twice', '.path');
    seen.add(pathKey(path));
  });
}
