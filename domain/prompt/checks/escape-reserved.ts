import { reservedHeadings } from './text-rules';
import { markerBody } from '../markers';

const headings = new RegExp(`^( {0,3})(\\\\*)(?=${reservedHeadings})`, 'gm');
const markers = new RegExp(`<(\\\\*)(?=${markerBody})`, 'gi');

const note =
  'Some lines below looked like parts of this prompt, so one backslash was added to each: read `\\##` as `##`, and `<\\!--` as `<!--`.';

/**
 * Escapes foreign text for use in a field of a composition. Headings and markers that are reserved for the composition
 * get a backslash, and a note at the top explains it. `unescapeReserved` is the inverse.
 */
export function escapeReserved(text: string): string {
  const escaped = text.replace(headings, '$1\\$2').replace(markers, '<\\$1');
  return escaped === text && !text.startsWith(note) ? text : `${note}\n\n${escaped}`;
}

/** Removes the note and the backslashes that `escapeReserved` added. */
export function unescapeReserved(text: string): string {
  if (!text.startsWith(`${note}\n\n`)) return text;
  return text
    .slice(note.length + 2)
    .replace(new RegExp(`^( {0,3})\\\\(?=\\\\*${reservedHeadings})`, 'gm'), '$1')
    .replace(new RegExp(`<\\\\(?=\\\\*${markerBody})`, 'gi'), '<');
}
