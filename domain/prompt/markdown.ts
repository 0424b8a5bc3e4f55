import { contained } from './contained';

/** Formats a value as inline code, even if it contains backticks. */
export function code(text: string): string {
  if (!text.includes('`')) return `\`${text}\``;
  const ticks = '`'.repeat(longestRun(text) + 1);
  return `${ticks} ${text} ${ticks}`;
}

/** Formats a text as a list item. */
function bullet(text: string): string {
  return `- ${indented(text, 2)}`;
}

/** Formats texts as a bullet list. */
export function bullets(items: readonly string[]): string {
  return items.map(bullet).join('\n');
}

/** Formats a field as `- **Name** – value`. */
export function field(name: string, value: string): string {
  return bullet(`**${name}** – ${value}`);
}

/** Formats a field with one value on the same line, or with several values as a nested list. */
export function fieldList(name: string, values: readonly string[]): string {
  const [only, ...more] = values;
  if (only === undefined || more.length === 0) return field(name, only ?? 'none');
  return [`- **${name}**`, ...values.map((value) => indented(bullet(value), 2, true))].join('\n');
}

/** Formats texts as a numbered list. */
export function numbered(items: readonly string[]): string {
  return items.map((item, index) => `${index + 1}. ${indented(item, `${index + 1}. `.length)}`).join('\n');
}

/** Puts a text into a code fence that no line of the text can close. */
export function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/**
 * Formats a text as a block: without leading and trailing line breaks, because the layout adds its own, and without the
 * start of anything that would swallow the sections after it.
 */
export function block(text: string): string {
  return contained(withoutOuterBreaks(text));
}

function withoutOuterBreaks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isNewline(text.charCodeAt(start))) start += 1;
  while (end > start && isNewline(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Whether a text is absent or contains only white space. */
export function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return text === null || text === undefined || text.trim() === '';
}

/** Indents continuation lines so that they belong to the list item. */
function indented(text: string, by: number, first = false): string {
  const margin = ' '.repeat(by);
  return (first ? margin : '') + block(text).split('\n').join(`\n${margin}`);
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function isNewline(unit: number): boolean {
  return unit === 10 || unit === 13;
}
