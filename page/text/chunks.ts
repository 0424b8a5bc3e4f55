/** Lines of a piece. */
const pieceLines = 1_000;

/** Size of a piece in characters. A line that is longer is cut, because laying it out takes as long as a page of short ones. */
const pieceSize = 32 * 1024;

/** Cuts a text into pieces, at the end of a line where there is one. The line break between two pieces is left out. */
export function chunks(text: string, size = pieceSize, lines = pieceLines): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from <= text.length) {
    const end = endOfLines(text, from, size, lines);
    pieces.push(text.slice(from, end));
    from = text[end] === '\n' ? end + 1 : end;
    if (end === text.length) break;
  }
  return pieces;
}

/** Position behind the last line that fits. A line that is too long is cut, but not within a character. */
function endOfLines(text: string, from: number, size: number, lines: number): number {
  let end = -1;
  for (let count = 0; count < lines; count++) {
    const next = text.indexOf('\n', end === -1 ? from : end + 1);
    if (next === -1 && text.length - from <= size) return text.length;
    if (next === -1 || next - from > size) break;
    end = next;
  }
  if (end !== -1) return end;
  return from + size - (isFirstHalf(text.charCodeAt(from + size - 1)) ? 1 : 0);
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
