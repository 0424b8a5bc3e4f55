/** Longest text that is read as markdown, in characters. Longer ones are shown as they are. */
const maxMarkdown = 64 * 1024;
/** Longest code that gets colours, in characters, and its longest line. */
export const maxColoured = 16 * 1024;
export const maxColouredLine = 1_000;
/** A text that took longer than this to read is shown plain from then on. */
const maxReadingMs = 200;
/** Texts up to this length are formatted at once, as long as the budget of the frame lasts. */
export const shortText = 4 * 1024;

/** Most nodes that a text becomes; more take longer to draw than anybody reads. */
export const maxNodes = 4_000;
/** Most opening brackets: the time that the parser takes grows with their square. */
const maxBrackets = 4_000;

/** Returns whether a text may be read as markdown. */
export function mayFormat(text: string): boolean {
  return text.length <= maxMarkdown && text.split('[').length <= maxBrackets;
}

const slow = new Set<string>();

/**
 * Calls a parser of a text that a model wrote. Returns undefined if it throws or the text is known to be slow: the text
 * is then shown plain.
 */
export function readWithLimits<Result>(
  kind: string,
  text: string,
  read: (text: string) => Result,
  clock: () => number = () => performance.now(),
): Result | undefined {
  const key = `${kind}:${text}`;
  if (slow.has(key)) return undefined;
  const start = clock();
  try {
    const result = read(text);
    if (clock() - start <= maxReadingMs) return result;
  } catch {
    // A text that overflows the stack of the parser is as slow as the others.
  }
  slow.add(key);
  return undefined;
}

/** Returns whether code may get colours. */
export function mayColour(code: string): boolean {
  return code.length <= maxColoured && !code.split('\n').some((line) => line.length > maxColouredLine);
}
