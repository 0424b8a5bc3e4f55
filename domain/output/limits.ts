/** How many levels an answer may be nested. Formats of skills have a handful. */
export const maxDepth = 32;
