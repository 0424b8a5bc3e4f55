import { isWellFormedUnicode } from '../../kernel';
import { invalidUnicode } from '../extract';
import { isBlank } from '../markdown';
import { containsMarker, markerBody } from '../markers';
import { PromptError } from '../prompt-error';
import { isOneSentence } from './sentences';

/** All characters that some program treats as a line break. */
const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;

/** Headings that identify the parts of a composed prompt. In an authored text they would make the structure ambiguous. */
const outer = String.raw`Delegation[ \t]+(?:Overview|Summary)`;
const inner = String.raw`(?:Parent[ \t]+Prompt(?:[ \t]+\(Verbatim\))?|Delegation[ \t]+Details|Subagent[ \t]+Instructions|Tooling[ \t]+Context|Reporting[ \t]+Requirements|Response[ \t]+Format|Recap)`;
/** With number signs, or underlined on the next line. */
const reservedHeadings = String.raw`(?:(?:#[ \t]+${outer}|##[ \t]+${inner})[ \t#]*\r?$|(?:${outer}|${inner})[ \t]*\r?\n {0,3}(?:=+|-+)[ \t]*\r?$)`;
const reservedHeading = new RegExp(`^ {0,3}${reservedHeadings}`, 'm');

/** Rejects texts that have no UTF-8 form. */
export function requireWellFormed(fields: readonly AuthoredField[]): void {
  const broken = fields.find(({ field, text }) => !isWellFormedUnicode(text) || !isWellFormedUnicode(field));
  if (broken !== undefined) throw invalidUnicode(broken.field);
}

/** Rejects texts with line breaks. */
export function requireOneLine(fields: readonly AuthoredField[]): void {
  const broken = fields.find(({ text }) => lineBreak.test(text));
  if (broken === undefined) return;
  throw new PromptError(
    'Prompt.MultiLine',
    broken.field,
    'it must be a single line',
    'Write it as one sentence without line breaks; details belong in the task.',
  );
}

/** Rejects texts of more than one sentence. */
export function requireOneSentence(fields: readonly AuthoredField[]): void {
  const broken = fields.find(({ text }) => !isOneSentence(text));
  if (broken === undefined) return;
  throw new PromptError(
    'Prompt.SeveralSentences',
    broken.field,
    'it must be a single sentence',
    'Write one sentence; details belong in the task.',
  );
}

/** Rejects blank texts. */
export function requireText(fields: readonly AuthoredField[]): void {
  const empty = fields.find(({ text }) => isBlank(text));
  if (empty === undefined) return;
  const type = empty.field.startsWith('tooling.') ? 'Prompt.InvalidTooling' : 'Input.Invalid';
  throw new PromptError(type, empty.field, 'it is empty', 'Provide a short text.');
}

/** Rejects texts that contain a marker. */
export function rejectMarkers(fields: readonly AuthoredField[]): void {
  const broken = fields.find(({ text }) => containsMarker(text));
  if (broken === undefined) return;
  throw new PromptError(
    'Prompt.MarkerInField',
    broken.field,
    'it contains a marker of the embedded parent prompt, `<!-- PARENT PROMPT … -->`',
    'Remove the marker: only the parent prompt itself may contain one. The subagent sees the parent prompt anyway.',
  );
}

/** Rejects texts that contain a heading of the composed prompt. */
export function rejectReservedHeadings(fields: readonly AuthoredField[]): void {
  const broken = fields.find(({ text }) => reservedHeading.test(text));
  if (broken === undefined) return;
  throw new PromptError(
    'Prompt.ReservedHeading',
    broken.field,
    `it contains the line "${reservedHeading.exec(broken.text)?.[0].trim().split('\n', 1)[0]?.trim() ?? ''}", a heading of the prompt itself`,
    'Use another heading, or a deeper one (`###` and more).',
  );
}

/** Parameters that the parent and its ancestors have bound. */
export type BoundParameters = Readonly<Record<string, string | number | boolean>>;

/** Maximum characters of a value in an error message. */
const longestShown = 500;

/**
 * Rejects fields that contain the placeholder of a bound parameter. The ancestor's text contains the value instead of the
 * placeholder, and nothing would fill in the placeholder for the subagent.
 */
export function rejectPlaceholders(fields: readonly AuthoredField[], parameters: BoundParameters): void {
  for (const { field, text } of fields) {
    for (const [placeholder, name = ''] of text.matchAll(/\$\{\s*([^\s{}]+)\s*\}/g)) {
      if (!Object.hasOwn(parameters, name)) continue;
      const value = String(parameters[name]);
      throw new PromptError(
        'Prompt.PlaceholderInField',
        field,
        `it mentions ${placeholder}, a parameter that is already bound`,
        `Write the value instead: ${value.length > longestShown ? `${value.slice(0, longestShown)}…` : value}`,
      );
    }
  }
}

/** One string of an input and its path, such as `tooling.tools[0].id`. */
export interface AuthoredField {
  readonly field: string;
  readonly text: string;
}

/** Returns all strings of a value, in order. */
export function authoredFields(value: unknown, field = ''): AuthoredField[] {
  if (typeof value === 'string') return [{ field, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => authoredFields(item, `${field}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => authoredFields(item, field === '' ? key : `${field}.${key}`));
}

/** Formats a path of keys, such as `tooling.tools[0].id`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? String(key) : `${name}.${String(key)}`;
  }, '');
}

const headings = new RegExp(`^( {0,3})(\\\\*)(?=${reservedHeadings})`, 'gm');
const markers = new RegExp(`<(\\\\*)(?=${markerBody})`, 'gi');

const note =
  'Some lines below looked like parts of this prompt, so one backslash was added to each: read `\\##` as `##`, and `<\\!--` as `<!--`.';

/**
 * Escapes foreign text for use in a field of a composition. Headings and markers that are reserved for the composition
 * get a backslash, and a note at the top explains it. `unescapeReserved` is the inverse.
 */
export function escapeReserved(text: string): string {
  const escaped = text.replace(headings, '$1\\$2').replace(markers, '<\\$1');
  return escaped === text && !text.startsWith(note) ? text : `${note}\n\n${escaped}`;
}

/** Removes the note and the backslashes that `escapeReserved` added. */
export function unescapeReserved(text: string): string {
  if (!text.startsWith(`${note}\n\n`)) return text;
  return text
    .slice(note.length + 2)
    .replace(new RegExp(`^( {0,3})\\\\(?=\\\\*${reservedHeadings})`, 'gm'), '$1')
    .replace(new RegExp(`<\\\\(?=\\\\*${markerBody})`, 'gi'), '<');
}
