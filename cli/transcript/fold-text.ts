import { visibleText } from '../../domain/kernel';
import { displayWidth } from '../screen/width';

/** A text for a screen: its first lines, and the number of those that are left out. */
export interface FoldedText {
  readonly lines: readonly string[];
  readonly hidden: number;
}

/**
 * Breaks a text into lines of at most this many columns, and keeps the first ones. One line more than allowed is shown:
 * saying that it is hidden would take as much room.
 */
export function foldText(text: string, columns: number, maxLines: number): FoldedText {
  const lines = visibleText(text.trimEnd())
    .split('\n')
    .flatMap((line) => wrapLine(line.replaceAll('\t', '  '), columns));
  if (lines.length <= maxLines + 1) return { lines, hidden: 0 };
  return { lines: lines.slice(0, maxLines), hidden: lines.length - maxLines };
}

/** Longest line that is broken at words, in characters. Longer ones, such as JSON, are broken anywhere. */
const maxWordWrap = 20_000;

/** Breaks a line at spaces, and in the middle of words that are too long. */
function wrapLine(line: string, columns: number): readonly string[] {
  if (displayWidth(line) <= columns) return [line];
  const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(columns / 2)) ?? '';
  const words = line.length > maxWordWrap ? [line] : line.trimStart().split(/(?<= )/);
  const lines: string[] = [];
  let current = indent;
  for (const word of words.flatMap((each) => pieces(each, columns - indent.length))) {
    if (current !== indent && displayWidth(current) + displayWidth(word.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = indent;
    }
    current += word;
  }
  return [...lines, current.trimEnd()];
}

/** Cuts a word into pieces that fit. */
function pieces(word: string, columns: number): readonly string[] {
  if (displayWidth(word.trimEnd()) <= columns) return [word];
  const found: string[] = [];
  let piece = '';
  let width = 0;
  for (const character of word) {
    const next = displayWidth(character);
    if (width + next > columns) {
      found.push(piece);
      piece = '';
      width = 0;
    }
    piece += character;
    width += next;
  }
  return [...found, piece];
}
