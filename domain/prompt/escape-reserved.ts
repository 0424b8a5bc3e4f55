import { reservedHeadings } from './checks/text-rules';
import { afterMarkerOpening } from './markers';

const headings = new RegExp(`^( {0,3})(\\\\*)(?=${reservedHeadings})`, 'gm');
const markers = new RegExp(`<(\\\\*)(?=${afterMarkerOpening})`, 'gi');

const note =
  'Some lines below would have looked like parts of this prompt itself. There one backslash was added: read `\\##` as `##`, and `<\\!--` as `<!--`.';

/**
 * Foreign text that may stand in a field of a composition: headings and markers that only the composition itself may have
 * get a backslash, and a first line says so. `unescapeReserved` is the inverse.
 */
export function escapeReserved(text: string): string {
  const escaped = text.replace(headings, '$1\\$2').replace(markers, '<\\$1');
  return escaped === text && !text.startsWith(note) ? text : `${note}\n\n${escaped}`;
}

export function unescapeReserved(text: string): string {
  if (!text.startsWith(`${note}\n\n`)) return text;
  return text
    .slice(note.length + 2)
    .replace(new RegExp(`^( {0,3})\\\\(?=\\\\*${reservedHeadings})`, 'gm'), '$1')
    .replace(new RegExp(`<\\\\(?=\\\\*${afterMarkerOpening})`, 'gi'), '<');
}
