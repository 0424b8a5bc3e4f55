import { ToolError } from './tool';

export const defaultLines = 1_000;
export const maxLines = 10_000;
/** Longer lines are data rather than text: one of them could fill a window. */
const maxLineLength = 2_000;

/** For the words around a text. */
const frameBytes = 200;

/**
 * Lines of a text as they stand in it, at least one and as many as fit, and how to read on when there are more. `what` names
 * the text.
 */
export function pickLines(text: string, what: string, offset: number, limit: number, maxBytes = Infinity): string {
  const lines = text.split(/(?<=\n)/);
  if (offset > lines.length) throw new ToolError(`${what} has only ${lines.length} lines.`);
  const shown = fitting(lines.slice(offset - 1, offset - 1 + limit).map(shorten), maxBytes - frameBytes);
  const next = offset + shown.length;
  const body = shown.join('');
  if (next > lines.length) return body;
  return `${body}\n[lines ${offset} to ${next - 1} of ${lines.length}; read on with offset ${next}]`;
}

function fitting(lines: readonly string[], maxBytes: number): readonly string[] {
  let room = maxBytes;
  const end = lines.findIndex((line) => {
    room -= Buffer.byteLength(line, 'utf8');
    return room < 0;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}

/** Characters of a text, for texts whose lines are too long to be shown; never half of one, and as many as fit. */
export function pickCharacters(text: string, what: string, from: number, count: number, maxBytes = Infinity): string {
  if (from >= text.length) throw new ToolError(`${what} has only ${text.length} characters.`);
  const start = wholeAt(text, from);
  const wanted = Math.max(start + 1, Math.min(text.length, start + Math.min(count, charactersIn(maxBytes))));
  const end = wholeAt(text, wanted) > start ? wholeAt(text, wanted) : wanted + 1;
  const body = text.slice(start, end);
  if (end >= text.length) return body;
  return `${body}\n[characters ${start} to ${end - 1} of ${text.length}; read on with from_character ${end}]`;
}

/** No UTF-16 unit takes more than three bytes. */
function charactersIn(bytes: number): number {
  return Math.floor((bytes - frameBytes) / 3);
}

/** The same place, or the one before it where it would split a character. */
function wholeAt(text: string, at: number): number {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
}

function shorten(line: string): string {
  if (line.length <= maxLineLength) return line;
  const end = line.endsWith('\n') ? '\n' : '';
  return `${cut(line, 0, maxLineLength)} [${line.length - maxLineLength} more characters in this line]${end}`;
}

/** Like `slice`, but never through the middle of a character. */
export function cut(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
