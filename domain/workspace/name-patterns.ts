/**
 * Turns patterns of names into the source of an expression that matches any of them. `*` matches any characters within
 * a name, `{a,b}` one of several.
 */
export function anyOf(patterns: readonly string[]): string {
  const sources = patterns.map((pattern) =>
    pattern
      .replace(/[.+^$()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^/]*')
      .replaceAll('{', '(?:')
      .replaceAll('}', ')')
      .replaceAll(',', '|'),
  );
  return `(?:${sources.join('|')})`;
}

/**
 * Returns a path as Windows and macOS compare it: without regard to case, to dots and spaces at the end of a name, and
 * to what follows a colon.
 */
export function asComparedElsewhere(path: string): string {
  return path
    .toLowerCase()
    .replace(/:[^/]*/g, '')
    .replace(/[. ]+(?=\/|$)/g, '');
}
