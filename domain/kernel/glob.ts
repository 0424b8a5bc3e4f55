import { z } from 'zod';

/** A pattern of texts: `*` matches any characters except `/`, `**` any characters at all. */
export const globSchema = z.string().min(1).max(200);

/** Longer texts match no pattern, so that matching takes a bounded time. */
const maxTextLength = 4_096;

/**
 * Returns whether a pattern matches a whole text. Patterns and texts come from people and models, and the usual regular
 * expressions can take forever on some of them. This takes time proportional to both lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  if (text.length > maxTextLength) return false;
  const tokens = pattern.match(/\*\*|[\s\S]/g) ?? [];
  // The positions in the pattern that are possible after the characters read so far.
  let possible = withSkipped(tokens, new Set([0]));
  for (let index = 0; index < text.length && possible.size > 0; index += 1) {
    const character = text.charAt(index);
    const next = new Set<number>();
    for (const position of possible) {
      const token = tokens[position];
      if (token === '**' || (token === '*' && character !== '/')) next.add(position);
      else if (token === character && token !== '*') next.add(position + 1);
    }
    possible = withSkipped(tokens, next);
  }
  return possible.has(tokens.length);
}

/** A star also matches the empty text. */
function withSkipped(tokens: readonly string[], positions: Set<number>): Set<number> {
  // A set visits what is added while it is iterated.
  for (const position of positions) if (tokens[position]?.startsWith('*') === true) positions.add(position + 1);
  return positions;
}
