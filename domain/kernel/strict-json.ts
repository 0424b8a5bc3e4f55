/**
 * Parses JSON and rejects an object that has a key twice: `JSON.parse` would silently keep the last value, which may not
 * be the one that a reader sees. Throws a `SyntaxError`. Takes time linear in the size of the text.
 */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const twice = duplicateKey(text);
  if (twice !== undefined) throw new SyntaxError(`the key ${twice} occurs twice in the same object`);
  return value;
}

/** Braces, brackets, and strings with the colon that makes them keys. The text is valid JSON, so nothing else matters. */
const tokens = /[{}[\]]|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** Returns the first key, as written, that its object has had before; undefined if there is none. */
function duplicateKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (string !== undefined && colon !== undefined) {
      const keys = open.at(-1);
      // Two spellings may be the same key: "a" and "\u0061".
      const key = String(JSON.parse(string));
      if (keys?.has(key) === true) return string;
      keys?.add(key);
    }
  }
  return undefined;
}
