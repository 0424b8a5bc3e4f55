import { formatBytes, plural } from '../../client/format';
import type { AgentSession } from '../../client/session/read-session';
import { displayId, type JsonObject, truncateText } from '../../domain/kernel';
import type { Session } from '../../domain/session';
import { blobRefSchema } from '../../domain/store';
import { columns } from '../screen/table';

/** Characters of a field that are shown. `--json` prints all of them. */
const maxFieldLength = 120;

type Records = readonly JsonObject[];

/** Formats a session: a table for each slice that has records, of which at most `mostRecords` are shown. */
export function sessionText({ version, slices, host }: AgentSession, mostRecords: number): string {
  const from = host === null ? '' : `, shared: read from its host ${displayId(host)}`;
  const tables = Object.entries(slices).flatMap(([name, records]) =>
    records.length === 0 ? [] : [sliceText(name, records, mostRecords)],
  );
  const heading = `version ${version}${from}`;
  return [heading, ...(tables.length === 0 ? ['No records.'] : tables)].join('\n\n');
}

/** The newest records are shown, which in most slices are the last ones. */
function sliceText(name: string, records: Records, mostRecords: number): string {
  const shown = records.slice(-mostRecords);
  const hidden = records.length - shown.length;
  const more = hidden === 0 ? '' : `, of which these are the last ${shown.length} (all: --slice ${name})`;
  return `${name}: ${plural(records.length, 'record')}${more}\n${tableOf(shown)}`;
}

/** A column for each field that any record has, in the order in which they appear. */
function tableOf(records: Records): string {
  const fields = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return columns([fields, ...records.map((record) => fields.map((field) => fieldText(record[field])))])
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Texts in one line, refs to stored contents as their size, anything else as JSON. */
function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const ref = blobRefSchema.safeParse(value).data;
  if (ref !== undefined) return `${formatBytes(ref.bytes)} in the store (${ref.hash.slice(0, 12)})`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return truncateText(text.replace(/\s+/g, ' '), maxFieldLength);
}

/** Formats what changed between two versions, a line for each record that is new or different, and for each that is gone. */
export function changeLines(before: Session, after: Session): string[] {
  const names = [...new Set([...Object.keys(before.slices), ...Object.keys(after.slices)])];
  return names.flatMap((name) => {
    const [old, now] = [before.slices[name] ?? [], after.slices[name] ?? []];
    const line = (sign: string) => (record: JsonObject) => `${after.version}  ${sign} ${name}  ${recordText(record)}`;
    return [...without(old, now).map(line('-')), ...without(now, old).map(line('+'))];
  });
}

/** Records of the first list that are not in the second. */
function without(records: Records, others: Records): Records {
  const known = new Set(others.map((record) => JSON.stringify(record)));
  return records.filter((record) => !known.has(JSON.stringify(record)));
}

function recordText(record: JsonObject): string {
  return Object.entries(record)
    .map(([field, value]) => `${field}=${fieldText(value)}`)
    .join('  ');
}
