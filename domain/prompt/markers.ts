import { utf8 } from '../kernel';
import { indexOfBytes, lastIndexOfBytes } from './bytes';

/** The line before an embedded parent prompt. */
export const startMarker = '<!-- PARENT PROMPT START -->';
/** The line after an embedded parent prompt. */
export const endMarker = '<!-- PARENT PROMPT END -->';

/** Delimiters directly around the embedded bytes. They include the line breaks, so any parent is extracted unchanged. */
export const startDelimiter = `${startMarker}\n`;
export const endDelimiter = `\n${endMarker}\n`;

const startBytes = utf8(startMarker);
const endBytes = utf8(endMarker);
const newline = 0x0a;

/** Regular expression for a marker without its `<`. Also matches text that a reader could mistake for a marker. */
export const markerBody = String.raw`!--\s*PARENT\s+PROMPT\s+(?:START|END)\s*-->`;
const lookAlike = new RegExp(`<${markerBody}`, 'i');

/** Whether a text contains a marker, or something that looks like one. */
export function containsMarker(text: string): boolean {
  return lookAlike.test(text);
}

function isWholeLine(bytes: Uint8Array, start: number, end: number): boolean {
  return (start === 0 || bytes[start - 1] === newline) && (end === bytes.length || bytes[end] === newline);
}

function nextLine(bytes: Uint8Array, marker: Uint8Array, from: number): number {
  let at = indexOfBytes(bytes, marker, from);
  while (at !== -1 && !isWholeLine(bytes, at, at + marker.length)) at = indexOfBytes(bytes, marker, at + 1);
  return at;
}

/** Returns the range between the first START line and the last END line; undefined when there is none. */
export function embeddedRange(bytes: Uint8Array): { start: number; end: number } | undefined {
  const first = nextLine(bytes, startBytes, 0);
  if (first === -1) return undefined;
  let last = lastIndexOfBytes(bytes, endBytes, bytes.length - endBytes.length);
  while (last !== -1 && !isWholeLine(bytes, last, last + endBytes.length)) {
    last = lastIndexOfBytes(bytes, endBytes, last - 1);
  }
  const start = first + startBytes.length + 1;
  const end = last - 1;
  return end >= start ? { start, end } : undefined;
}

/** Returns the ranges of all marker lines, in order. */
export function markerLines(bytes: Uint8Array): { start: number; end: number }[] {
  const all = [startBytes, endBytes].flatMap((marker) => {
    const lines: { start: number; end: number }[] = [];
    for (let at = nextLine(bytes, marker, 0); at !== -1; at = nextLine(bytes, marker, at + 1)) {
      lines.push({ start: at, end: at + marker.length });
    }
    return lines;
  });
  return all.sort((a, b) => a.start - b.start);
}
