import type { Line, Style } from './style';
import { wrapWords } from './width';

const states: Readonly<Record<string, Style>> = {
  completed: 'good',
  running: 'active',
  waiting: 'attention',
  failed: 'bad',
  terminated: 'bad',
  timed_out: 'bad',
  cancelled: 'quiet',
};
/** Rows whose whole value is highlighted. */
const values: Readonly<Record<string, Style>> = { incident: 'attention', failure: 'bad', 'what to do': 'strong' };

/**
 * Gives colours to rows of a label and a value that are laid out already: labels are quiet, states are not. On a screen of
 * some columns, long values continue below their beginning.
 */
export function styledRows(table: string, columns?: number): readonly Line[] {
  return table.split('\n').flatMap((line) => {
    const [, label = '', gap = '', value = line] = /^(\S+(?: \S+)*)( {2,})(.*)$/.exec(line) ?? [];
    const style = label === 'status' ? states[value] : values[label];
    const [first = '', ...others] = partsOf(
      value,
      columns === undefined ? Infinity : columns - label.length - gap.length,
    );
    const styled = (text: string): Line[number] => (style === undefined ? text : { text, style });
    return [
      [{ text: label, style: states[label] ?? 'quiet' }, gap, styled(first)],
      ...others.map((text): Line => [' '.repeat(label.length + gap.length), styled(text)]),
    ];
  });
}

/** Commands stay on one line, so that they can be copied. */
function partsOf(value: string, columns: number): readonly string[] {
  return /^ |^baton /.test(value) ? [value] : wrapWords(value, columns);
}
