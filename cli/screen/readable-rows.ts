import { formatMoment, type TimeStyle, withReadableTimes } from '../../client/format';

const wholeTimes = ['started', 'ended'];
const withTimes = ['incident', 'decision', 'why'];

/** Rewrites the times in rows of a label and a value. Texts of models and tools are not touched. */
export function readableRows(rows: readonly (readonly string[])[], times: TimeStyle): string[][] {
  return rows.map(([label = '', value = '', ...rest]) => [label, readable(label, value, times), ...rest]);
}

function readable(label: string, value: string, times: TimeStyle): string {
  if (wholeTimes.includes(label))
    return Number.isNaN(Date.parse(value)) ? value : formatMoment(Date.parse(value), times);
  return withTimes.includes(label) ? withReadableTimes(value, times) : value;
}
