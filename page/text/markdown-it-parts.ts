// Takes the place of five packages that markdown-it imports, in the page only (scripts/build-page.ts). Together they are
// larger than the rest of it, and the page does not need what they do: it lists few entities, looks for no addresses in
// text, and leaves addresses to the browser's `URL`.

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  times: '×',
};

/** Replaces `entities`: decodes references that end with a semicolon. Names that are not listed stay as they were written. */
export function decodeHTMLStrict(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return named[name] ?? whole;
      const point = hex === undefined ? Number(decimal) : parseInt(hex, 16);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
    },
  );
}

/** Replaces `linkify-it`, which is used only with the option `linkify`. */
export function LinkifyIt(): void {
  // Nothing to prepare.
}

const same = (text: string): string => text;

/** Replaces `punycode.js`. */
export default { toASCII: same, toUnicode: same };

/** Replaces `uc.micro`: punctuation and symbols. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;

/** Replaces `mdurl`: an address is one part, and stays as it was written. */
export const parse = (address: string): { pathname: string } => ({ pathname: address });
export const format = (address: { readonly pathname: string }): string => address.pathname;
export const encode = same;
export const decode = Object.assign(same, { defaultChars: '' });
