import { neutralizeMarkers } from '../prompt/markers';
import { truncateText } from '../kernel/text';
import { maxSummaryLength } from './limits';
import type { SessionSchema } from './session-schema';
import { recordsOfSlice, type Session } from './session';
import type { Slice } from './slice';

const maxLineLength = 240;
const maxLinesPerSlice = 40;
/** Slices that come first, because a summary that is too long is cut at the end. Other slices follow by name. */
const important = ['plan', 'notes', 'artifacts', 'files'];

/**
 * Summarizes a session for the prompt of a delegation that starts from it, in a few lines per slice. Line breaks and
 * markers within a record's text are removed or quoted, so that no note can make a prompt impossible to compose.
 */
export function summarizeSnapshot(schema: SessionSchema, snapshot: Pick<Session, 'slices'>): string {
  const rank = ({ name }: Slice): number => (important.includes(name) ? important.indexOf(name) : important.length);
  const slices = [...schema.slices].sort((a, b) => rank(a) - rank(b));
  const lines = slices.flatMap((slice) => linesOf(slice, snapshot));
  if (lines.length === 0) return 'Nothing has been recorded yet.';
  const shown = [...lines];
  const rest = (): string => `(${lines.length - shown.length} more lines omitted)`;
  while ([...shown, rest()].join('\n').length > maxSummaryLength) shown.pop();
  return shown.length === lines.length ? shown.join('\n') : [...shown, rest()].join('\n');
}

function linesOf(slice: Slice, snapshot: Pick<Session, 'slices'>): readonly string[] {
  const records = recordsOfSlice(snapshot, slice.name);
  if (records.length === 0) return [];
  const counted = [`${slice.name}: ${records.length} ${records.length === 1 ? 'record' : 'records'}`];
  try {
    const lines = slice.summarize?.(records as readonly never[]) ?? counted;
    return lines.slice(0, maxLinesPerSlice).map(oneLine);
  } catch {
    // A bug in a slice's `summarize` must not prevent a delegation from starting.
    return counted;
  }
}

function oneLine(text: string): string {
  return truncateText(neutralizeMarkers(text.replace(/[\s\u0085]+/gu, ' ').trimEnd()), maxLineLength);
}
