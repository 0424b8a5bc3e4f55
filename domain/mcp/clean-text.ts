import { toWellFormedUnicode, truncateText } from '../kernel';

/**
 * Characters that a reader does not see: control and format characters, among them those that reverse text or spell
 * hidden words. Line breaks and tabs are kept.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu;

/** Removes what cannot be seen from a text of a server, and cuts it to `max` characters. */
export function cleanText(text: string, max: number): string {
  // Cut first: a server may send megabytes.
  const bounded = text.slice(0, 2 * max).replaceAll('\r\n', '\n');
  const visible = bounded.replace(hidden, (character) => (character === '\n' || character === '\t' ? character : ''));
  return truncateText(toWellFormedUnicode(visible), max);
}
