/** Crockford's alphabet in lower case: no i, l, o or u, so an id can be read aloud and typed from a screen. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Encodes the first 128 bits of a hex hash as 26 characters. The results sort in the same order as the hashes. */
export function shortHash(hex: string): string {
  let rest = BigInt(`0x${hex.slice(0, 32)}`) << 2n;
  let id = '';
  for (let i = 0; i < 26; i += 1) {
    id = alphabet.charAt(Number(rest & 31n)) + id;
    rest >>= 5n;
  }
  return id;
}
