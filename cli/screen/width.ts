const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[\x20-\x7e]*$/;
/** Characters that take two columns: emoji, and the scripts of East Asia with their punctuation and full-width forms. */
const wide =
  /[\p{Emoji_Presentation}\uFE0F\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u;
/** Characters that are drawn over the one before them, or not at all. */
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

/** Returns the number of columns that a text of one line takes on a screen. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

function widthOfGrapheme(segment: string): number {
  if (zeroWidth.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}

/** Cuts a text of one line to this many columns, the ellipsis included. Never cuts a character in two. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns <= 0) return '';
  let width = 1;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    width += widthOfGrapheme(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Adds spaces up to this many columns. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** Cuts the beginning of a text of one line, so that it has at most this many columns, the ellipsis included. */
export function endToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const segments = [...graphemes.segment(text)].map(({ segment }) => segment);
  let width = 1;
  let from = segments.length;
  for (; from > 0; from -= 1) {
    width += widthOfGrapheme(segments[from - 1] ?? '');
    if (width > columns) break;
  }
  return `…${segments.slice(from).join('')}`;
}

/** Breaks a text of one line between words, so that no line is wider than this. A longer word keeps its length. */
export function wrapWords(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || displayWidth(last) + 1 + displayWidth(word) > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
