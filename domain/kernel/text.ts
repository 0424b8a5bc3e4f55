/** Truncates a text to `max` code points, including the ellipsis. Never splits a surrogate pair. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** Matches a slash after `<` that follows backslashes or begins the closing tag of one of these names. */
function closingTags(names: readonly string[]): RegExp {
  const alternatives = names.map((name) => name.replace(/[^A-Za-z0-9_]/g, '\\$&')).join('|');
  return new RegExp(`<(\\s*)(?:(\\\\+)/|/(?=\\s*(?:${alternatives})(?![A-Za-z0-9_.-])))`, 'gi');
}

/**
 * Escapes text so that it cannot close any of these tags. `</tag` becomes `<\/tag`; if there are backslashes already, one
 * is added. All other text is unchanged, so that an agent can quote code exactly. `unescapeTags` is the inverse.
 */
export function escapeTags(text: string, names: readonly string[]): string {
  return text.replace(closingTags(names), (_, space: string, backslashes: string | undefined) => {
    return `<${space}${backslashes ?? ''}\\/`;
  });
}

/** Removes the backslashes that `escapeTags` added. */
export function unescapeTags(text: string): string {
  return text.replace(/<(\s*)\\(\\*)\//g, '<$1$2/');
}

/** Puts content between an opening and a closing tag, on separate lines. */
export function wrapInTag(tag: string, content: string, attributes = ''): string {
  return `<${tag}${attributes}>\n${content}\n</${tag}>`;
}

/** Formats an XML attribute with a leading space and an escaped value. */
export function attribute(name: string, value: string): string {
  const quoted = value.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return ` ${name}="${quoted}"`;
}

/** Returns false for a string with an unpaired surrogate. It has no UTF-8 form, and encoding would silently change it. */
export function isWellFormedUnicode(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** Replaces unpaired surrogates by the replacement character, as encoding does. */
export function toWellFormedUnicode(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** Estimates tokens as an upper bound: dense text has about 3 bytes per token, plain English about 4. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / 3);
}

/** Neutralizes markers in quoted text such as a transcript, so that they are not read as nesting. */
export function neutralizeMarkers(text: string): string {
  return text.replace(/<!--(\s*PARENT\s+PROMPT\s+(?:START|END)\s*)-->/gi, '<!-- quoted:$1-->');
}

/** Control characters, format characters (bidirectional and zero-width ones among them), other line ends, half characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Makes foreign text safe to print: every character that a terminal would act on instead of showing becomes an escape
 * such as `\u{1B}`. Line breaks and tabs are kept; CRLF counts as a line break.
 */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(invisible, (character) => {
    return character === '\n' || character === '\t' ? character : `\\u{${codePoint(character)}}`;
  });
}

/** Formats a value as JSON in which such characters are escaped, so that it is safe to print and means the same. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${codeUnit(character, at)}`).join(''),
  );
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0');
}

function codeUnit(character: string, at: number): string {
  return character.charCodeAt(at).toString(16).padStart(4, '0');
}

/** Returns the name that a misspelled one probably means; undefined when none is close. */
export function closestName(name: string, names: readonly string[]): string | undefined {
  const near = names
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, distance }) => distance <= Math.max(1, Math.round(other.length * maxDifference)))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.other;
}

/** Number of characters to insert, delete or replace to get from one text to the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let above = 0; above < Math.min(from.length, maxCompared); above += 1) {
    const next = [above + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (to[at - 1] === from[above] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

const maxCompared = 200;
/** Share of a name that may be misspelled. */
const maxDifference = 0.4;
