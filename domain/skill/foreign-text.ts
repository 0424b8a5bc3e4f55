import { isWellFormedUnicode } from '../kernel';

/**
 * Characters that a reviewer would not see: control and format characters, among them those that reverse text or spell
 * hidden words, and private ones. Line breaks, tabs and the joiners of emoji and scripts are visible in their effect.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu;
const visible = new Set(['\n', '\t', '\u200C', '\u200D']);

/** Returns a text of a server with line breaks as files have them, and without a byte order mark. */
export function normalizeText(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** Says what makes a text impossible to review; undefined when nothing does. */
export function hiddenCharacter(text: string): string | undefined {
  if (!isWellFormedUnicode(text)) return 'contains half of a character';
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (visible.has(character)) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const line = text.slice(0, index).split('\n').length;
    return `contains a character that cannot be seen (U+${code}, line ${line})`;
  }
  return undefined;
}
