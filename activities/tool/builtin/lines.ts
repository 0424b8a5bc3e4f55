import { ToolError } from '../define-tool';

/** Lines returned when the model sets no limit. */
export const defaultLines = 1_000;
/** Maximum lines that the model may request. */
export const maxLines = 10_000;
/** Maximum characters shown of a line. Longer lines are data rather than text, and could fill a context window. */
const maxLineLength = 2_000;

/** Bytes reserved for the note that follows a text. */
const frameBytes = 200;

/**
 * Returns lines of a text unchanged, at least one and as many as fit, and a note on how to continue if there are more.
 * `what` names the text in messages; `offset` is 1-based.
 */
export function selectLines(text: string, what: string, offset: number, limit: number, maxBytes = Infinity): string {
  const lines = text.split(/(?<=\n)/);
  if (offset > lines.length) throw new ToolError(`${what} has only ${lines.length} lines.`);
  const shown = fitting(lines.slice(offset - 1, offset - 1 + limit).map(shorten), maxBytes - frameBytes);
  const next = offset + shown.length;
  const body = shown.join('');
  if (next > lines.length) return body;
  return `${body}\n[lines ${offset} to ${next - 1} of ${lines.length}; continue with offset ${next}]`;
}

function fitting(lines: readonly string[], maxBytes: number): readonly string[] {
  let room = maxBytes;
  const end = lines.findIndex((line) => {
    room -= Buffer.byteLength(line, 'utf8');
    return room < 0;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}

/** Returns characters of a text whose lines are too long to be shown, as many as fit. Never splits a surrogate pair. */
export function selectCharacters(text: string, what: string, from: number, count: number, maxBytes = Infinity): string {
  if (from >= text.length) throw new ToolError(`${what} has only ${text.length} characters.`);
  const start = wholeAt(text, from);
  const limit = Math.max(start + 1, Math.min(text.length, start + Math.min(count, charactersIn(maxBytes))));
  const end = wholeAt(text, limit) > start ? wholeAt(text, limit) : limit + 1;
  const body = text.slice(start, end);
  if (end >= text.length) return body;
  return `${body}\n[characters ${start} to ${end - 1} of ${text.length}; continue with from_character ${end}]`;
}

/** A UTF-16 code unit takes at most three bytes in UTF-8. */
function charactersIn(bytes: number): number {
  return Math.floor((bytes - frameBytes) / 3);
}

/** Moves a position back by one if it would split a surrogate pair. */
function wholeAt(text: string, at: number): number {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
}

function shorten(line: string): string {
  if (line.length <= maxLineLength) return line;
  const end = line.endsWith('\n') ? '\n' : '';
  return `${sliceCharacters(line, 0, maxLineLength)} [${line.length - maxLineLength} more characters in this line]${end}`;
}

/** Slices a text like `String.slice`, but without half of a surrogate pair at either end. */
export function sliceCharacters(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
