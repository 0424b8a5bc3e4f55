import { estimateTokens, utf8 } from '../../kernel';
import { splitsCodePoint } from '../bytes';
import { promptDepth, sectionPathAtDepth } from '../layout';
import { PromptError } from '../prompt-error';
import { formatSectionPath, pathKey, type SectionPath, type SectionRange } from '../sections';
import type { AuthoredField } from './text-rules';

/** Maximum size of a composed prompt. */
export interface SizeLimits {
  readonly maxBytes?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** Sizes of a composed prompt and its parts, for the size check and its error message. */
export interface PromptSizes {
  readonly promptBytes: number;
  readonly parentBytes: number;
  readonly parentField: string;
  readonly fields: readonly AuthoredField[];
}

/** Throws a `PromptError` if a prompt exceeds a limit. Prompts are never truncated. */
export function assertWithinSize(sized: PromptSizes, { maxBytes, maxTokens }: SizeLimits): void {
  if (maxBytes !== undefined) requireAtMost(sized, sized.promptBytes, maxBytes, 'bytes');
  if (maxTokens !== undefined) requireAtMost(sized, estimateTokens(sized.promptBytes), maxTokens, 'tokens');
}

function requireAtMost(sized: PromptSizes, size: number, limit: number, unit: 'bytes' | 'tokens'): void {
  if (size <= limit) return;
  const parentSize = unit === 'bytes' ? sized.parentBytes : estimateTokens(sized.parentBytes);
  const parentAlone = parentSize > limit;
  const about = unit === 'tokens' ? 'about ' : '';
  throw new PromptError(
    'Prompt.TooLarge',
    parentAlone ? sized.parentField : largestField(sized),
    `the prompt has ${about}${size} ${unit}, ${size - limit} more than the limit of ${limit}`,
    parentAlone
      ? `The parent prompt alone has ${about}${parentSize}: raise limits.${unit === 'bytes' ? 'maxBytes' : 'maxTokens'}, or do the work without delegating.`
      : 'Shorten this field, the longest of the delegation, or put the material into an artifact and name it.',
  );
}

function largestField({ fields, parentField }: PromptSizes): string {
  const largest = fields.reduce<{ field: string; size: number }>(
    (found, { field, text }) => {
      const size = utf8(text).length;
      return size > found.size ? { field, size } : found;
    },
    { field: parentField, size: 0 },
  );
  return largest.field;
}

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

/** A part of a prompt: the field of the composition that it comes from, and its size. */
export interface SizedPart {
  readonly field: string;
  /** Name for messages. */
  readonly name: string;
  readonly bytes: number;
}

/** The parts of a composed prompt by the key of their section, and the fields that they come from. */
const partsByKey: Readonly<Record<string, Omit<SizedPart, 'bytes'>>> = {
  'parent-prompt': { field: 'parent.prompt', name: 'the parent prompt' },
  transcript: { field: 'transcript', name: "the parent's transcript" },
  'delegation-details': { field: 'delegation.taskSummary', name: 'the task with its context' },
  'subagent-instructions': { field: 'instructions.role', name: 'the dispatched prompt' },
  'tooling-context': { field: 'tooling', name: 'the list of tools' },
  recap: { field: 'delegation.recapLines', name: 'the recap' },
  system: { field: 'skill', name: 'the system prompt of the skill' },
  context: { field: 'skill', name: 'the context that the skill injects' },
  input: { field: 'input', name: 'the input of the skill' },
};

/**
 * Returns the largest part of a prompt, from its section index. The transcript counts as a part, not as part of the parent
 * prompt that contains it.
 */
export function largestPart(sections: readonly SectionRange[], promptBytes: number): SizedPart {
  const depth = promptDepth(sections);
  const own = sectionPathAtDepth(depth);
  const transcript = depth === 0 ? undefined : pathKey([...sectionPathAtDepth(depth - 1), 'transcript']);
  const sizeOf = ({ start, end }: SectionRange): number => end - start;
  const embedded = sections.find(({ path }) => pathKey(path) === transcript);
  const parts = sections
    .filter(({ path }) => isChildOf(own, path))
    .map((section) => {
      const key = section.path.at(-1) ?? '';
      const inner = key === 'parent-prompt' && embedded !== undefined ? sizeOf(embedded) : 0;
      return { ...named(key), bytes: sizeOf(section) - inner };
    });
  if (embedded !== undefined) parts.push({ ...named('transcript'), bytes: sizeOf(embedded) });
  const whole: SizedPart = { field: 'parent.prompt', name: 'the whole prompt', bytes: promptBytes };
  return (
    parts.reduce<SizedPart | undefined>((a, b) => (a === undefined || b.bytes > a.bytes ? b : a), undefined) ?? whole
  );
}

function named(key: string): Omit<SizedPart, 'bytes'> {
  return (Object.hasOwn(partsByKey, key) ? partsByKey[key] : undefined) ?? { field: key, name: `the section ${key}` };
}

function isChildOf(parent: SectionPath, path: SectionPath): boolean {
  return path.length === parent.length + 1 && parent.every((key, index) => path[index] === key);
}
