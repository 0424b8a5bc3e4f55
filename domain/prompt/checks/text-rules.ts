import { isWellFormedUnicode } from '../bytes';
import { invalidUnicode } from '../detach-prompt';
import { isBlank } from '../markdown';
import { containsMarker } from '../markers';
import { PromptError } from '../prompt-error';
import type { AuthoredField } from './fields';

/** All characters that some program treats as a line break. */
const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;

/** Headings that identify the parts of a composed prompt. In an authored text they would make the structure ambiguous. */
export const reservedHeadings = String.raw`(?:# +Delegation (?:Overview|Summary)|## +(?:Parent Prompt(?: \(Verbatim\))?|Delegation Details|Subagent Instructions|Tooling Context|Reporting Requirements|Response Format|Recap))[ \t#]*\r?$`;
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
    `it contains the line "${reservedHeading.exec(broken.text)?.[0].trim() ?? ''}", a heading of the prompt itself`,
    'Use another heading, or a deeper one (`###` and more).',
  );
}
