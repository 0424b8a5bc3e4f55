import { utf8 } from '../hash';
import { indexOfBytes, lastIndexOfBytes } from './bytes';

export const startMarker = '<!-- PARENT PROMPT START -->';
export const endMarker = '<!-- PARENT PROMPT END -->';

/** What stands directly before and after the embedded bytes. The newlines belong to the markers, so any parent comes back unchanged. */
export const opening = `${startMarker}\n`;
export const closing = `\n${endMarker}\n`;

const startBytes = utf8(startMarker);
const endBytes = utf8(endMarker);
const newline = 0x0a;

/** Wider than the markers themselves: something that a reader could take for one is refused as well. */
export const afterMarkerOpening = String.raw`!--\s*PARENT\s+PROMPT\s+(?:START|END)\s*-->`;
const lookAlike = new RegExp(`<${afterMarkerOpening}`, 'i');

export function mentionsMarker(text: string): boolean {
  return lookAlike.test(text);
}

/** Text that is shown, not embedded (a transcript), may talk about markers; then they are made visibly harmless. */
export function quoteMarkers(text: string): string {
  return text.replace(/<!--(\s*PARENT\s+PROMPT\s+(?:START|END)\s*)-->/gi, '<!-- quoted:$1-->');
}

function standsAlone(bytes: Uint8Array, start: number, end: number): boolean {
  return (start === 0 || bytes[start - 1] === newline) && (end === bytes.length || bytes[end] === newline);
}

function nextLine(bytes: Uint8Array, marker: Uint8Array, from: number): number {
  let at = indexOfBytes(bytes, marker, from);
  while (at !== -1 && !standsAlone(bytes, at, at + marker.length)) at = indexOfBytes(bytes, marker, at + 1);
  return at;
}

/** Where the bytes between the first START line and the last END line begin and end. */
export function embeddedRange(bytes: Uint8Array): { start: number; end: number } | undefined {
  const first = nextLine(bytes, startBytes, 0);
  if (first === -1) return undefined;
  let last = lastIndexOfBytes(bytes, endBytes, bytes.length - endBytes.length);
  while (last !== -1 && !standsAlone(bytes, last, last + endBytes.length)) {
    last = lastIndexOfBytes(bytes, endBytes, last - 1);
  }
  const start = first + startBytes.length + 1;
  const end = last - 1;
  return end >= start ? { start, end } : undefined;
}

/** All marker lines, in order. */
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
