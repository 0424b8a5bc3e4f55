/** A construct of markdown that ends where it is closed, or else only at the end of the whole document. */
interface OpenEnded {
  /** Returns the size of what a line opens: for a fence its length, otherwise 1; 0 if it opens nothing. */
  opens(line: string): number;
  /** Returns the largest size that a line closes. */
  closes(line: string): number;
  /** Whether the line that opens it can also close it. */
  readonly inOneLine: boolean;
}

/** An HTML block of CommonMark that an empty line does not end. */
function htmlBlock(start: RegExp, end: RegExp): OpenEnded {
  return { opens: (line) => Number(start.test(line)), closes: (line) => Number(end.test(line)), inOneLine: true };
}

function codeFence(start: RegExp, end: RegExp): OpenEnded {
  const length = (pattern: RegExp, line: string): number => pattern.exec(line)?.[1]?.length ?? 0;
  return { opens: (line) => length(start, line), closes: (line) => length(end, line), inOneLine: false };
}

const constructs: readonly OpenEnded[] = [
  codeFence(/^ {0,3}(`{3,})[^`]*$/, /^ {0,3}(`{3,})[ \t]*$/),
  codeFence(/^ {0,3}(~{3,})/, /^ {0,3}(~{3,})[ \t]*$/),
  htmlBlock(/^ {0,3}<!--/, /-->/),
  htmlBlock(/^ {0,3}<\?/, /\?>/),
  htmlBlock(/^ {0,3}<!\[CDATA\[/, /\]\]>/),
  htmlBlock(/^ {0,3}<![A-Za-z]/, />/),
  htmlBlock(/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i),
];

/**
 * Returns a text that cannot swallow what follows it in a document: the start of a code fence, a comment or another HTML
 * block that the text never closes gets a backslash, which makes it ordinary text. Any other text is returned unchanged.
 * Takes time linear in the length of the text.
 */
export function contained(text: string): string {
  const found = [...text.matchAll(/[^\r\n]+/g)];
  const lines = found.map(([line]) => line);
  const closable = new Map(constructs.map((construct) => [construct, closableFrom(construct, lines)]));
  let result = '';
  let copied = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const construct = constructs.find(({ opens }) => opens(line) > 0);
    if (construct === undefined) continue;
    const size = construct.opens(line);
    let end = construct.inOneLine ? at : at + 1;
    if ((closable.get(construct)?.[end] ?? 0) >= size) {
      while (construct.closes(lines[end] ?? '') < size) end += 1;
      at = end;
      continue;
    }
    const start = (found[at]?.index ?? 0) + line.search(/\S/);
    result += `${text.slice(copied, start)}\\`;
    copied = start;
  }
  return result + text.slice(copied);
}

/** Returns for each line the largest size that it or a later line closes. */
function closableFrom({ closes }: OpenEnded, lines: readonly string[]): number[] {
  const sizes = lines.map(closes);
  for (let at = sizes.length - 2; at >= 0; at -= 1) sizes[at] = Math.max(sizes[at] ?? 0, sizes[at + 1] ?? 0);
  return sizes;
}
