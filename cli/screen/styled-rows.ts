import type { Line, Style } from './style';

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

/** Gives colours to rows of a label and a value that are laid out already: labels are quiet, states are not. */
export function styledRows(table: string): readonly Line[] {
  return table.split('\n').map((line) => {
    const [, label = '', gap = '', value = line] = /^(\S+(?: \S+)*)( {2,})(.*)$/.exec(line) ?? [];
    const style = label === 'status' ? states[value] : values[label];
    return [
      { text: label, style: states[label] ?? 'quiet' },
      gap,
      style === undefined ? value : { text: value, style },
    ];
  });
}
