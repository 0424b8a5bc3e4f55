/** A value in code style that comes out right even when it holds backticks itself. */
export function code(text: string): string {
  if (!text.includes('`')) return `\`${text}\``;
  const ticks = '`'.repeat(longestRun(text) + 1);
  return `${ticks} ${text} ${ticks}`;
}

export function bullet(text: string): string {
  return `- ${indented(text, 2)}`;
}

export function bullets(items: readonly string[]): string {
  return items.map(bullet).join('\n');
}

/** `- **Name** – value`, the way both specs write their fields. */
export function field(name: string, value: string): string {
  return bullet(`**${name}** – ${value}`);
}

/** A field with one value on its own line, or several below it. */
export function fieldList(name: string, values: readonly string[]): string {
  const [only, ...more] = values;
  if (only === undefined || more.length === 0) return field(name, only ?? 'none');
  return [`- **${name}**`, ...values.map((value) => indented(bullet(value), 2, true))].join('\n');
}

export function numbered(items: readonly string[]): string {
  return items.map((item, index) => `${index + 1}. ${indented(item, `${index + 1}. `.length)}`).join('\n');
}

/** Quoted material: nothing inside can be taken for a heading or end the quotation. */
export function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** Authored text as a paragraph: without the empty lines around it, which the layout sets itself. */
export function block(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isNewline(text.charCodeAt(start))) start += 1;
  while (end > start && isNewline(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

export function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return text === null || text === undefined || text.trim() === '';
}

/** Continuation lines stay inside the list item. */
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
