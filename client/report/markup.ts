/** Text that is HTML already: made by `html` below, and of the page's own style. Nothing a model wrote becomes one unescaped. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = string | number | Markup | null | undefined | false | readonly Value[];

/** A template whose values are escaped, save for what this function made itself. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, index) => part + toText(index < values.length ? values[index] : '')).join(''));
}

function toText(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(toText).join('');
  return escaped(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for attributes in quotes. What no page may contain, and what turns the direction of text, is shown as such. */
export function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? '')
    .replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu, '\ufffd');
}
