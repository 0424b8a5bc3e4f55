/** Crockford's alphabet in lower case: no i, l, o or u, so an id can be read aloud and typed from a screen. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The first 128 bits of a hash in hex, as 26 characters. They sort as the hash does. */
export function shortId(hex: string): string {
  let rest = BigInt(`0x${hex.slice(0, 32)}`) << 2n;
  let id = '';
  for (let i = 0; i < 26; i += 1) {
    id = alphabet.charAt(Number(rest & 31n)) + id;
    rest >>= 5n;
  }
  return id;
}
