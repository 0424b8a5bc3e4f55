import { ToolError } from './tool';

export const defaultLines = 1_000;
export const maxLines = 10_000;
/** Longer lines are data rather than text: one of them could fill a window. */
const maxLineLength = 2_000;

/** Lines of a text as they stand in it, and how to read on when there are more. `what` names the text. */
export function pickLines(text: string, what: string, offset: number, limit: number): string {
  const lines = text.split(/(?<=\n)/);
  if (offset > lines.length) throw new ToolError(`${what} has only ${lines.length} lines.`);
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const next = offset + shown.length;
  const body = shown.map(shorten).join('');
  if (next > lines.length) return body;
  return `${body}\n[lines ${offset} to ${next - 1} of ${lines.length}; read on with offset ${next}]`;
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
