import type { AgentRow } from '../../client/view/run-view';

export type Test = (row: AgentRow) => boolean;

type Field = (value: string) => Test | undefined;

const comparison = (read: (row: AgentRow) => number | null): Field => {
  return (value) => {
    const [, operator = '', digits = ''] = /^([<>]?)\$?(\d+(?:\.\d+)?)$/.exec(value) ?? [];
    if (digits === '') return undefined;
    const limit = Number(digits);
    return (row) => {
      const found = read(row);
      if (found === null) return false;
      return operator === '<' ? found < limit : operator === '>' ? found > limit : found === limit;
    };
  };
};

const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part);

const fields: Readonly<Record<string, Field>> = {
  status: (value) => (row) => row.state.replace(' ', '-').startsWith(value.replace(' ', '-')),
  tool: (value) => (row) => row.segments.some(({ kind, label }) => kind === 'tool' && includes(label, value)),
  type: (value) => (row) => includes(row.failure?.type ?? row.detail, value),
  cost: comparison(({ own }) => (own.microUsd === null ? null : own.microUsd / 1_000_000)),
  turn: comparison(({ turn }) => turn),
};

/**
 * Parses a filter: words that an agent's headline, role or id contains, and `status:`, `tool:`, `type:`, `cost:>0.5`,
 * `turn:>10`. All must match. Undefined for an empty filter.
 */
export function parseFilter(text: string): Test | undefined {
  const terms = text.toLowerCase().match(/[\w]+:"[^"]*"|"[^"]*"|\S+/g) ?? [];
  const tests = terms.flatMap((term) => testOf(term) ?? []);
  return tests.length === 0 ? undefined : (row) => tests.every((test) => test(row));
}

function testOf(term: string): Test | undefined {
  const [, name = '', rest = ''] = /^(\w+):(.*)$/.exec(term) ?? [];
  const value = rest.replace(/"/g, '');
  const field = fields[name];
  // A field without a value is still being typed.
  if (field !== undefined) return value === '' ? undefined : field(value);
  const word = term.replace(/"/g, '');
  if (word === '') return undefined;
  return (row) => includes(row.headline, word) || includes(row.role ?? '', word) || includes(row.path, word);
}

/** The words of a filter that are not fields, for a search in texts. */
export function wordsOf(text: string): string {
  const terms = text.match(/[\w]+:"[^"]*"|"[^"]*"|\S+/g) ?? [];
  const words = terms.filter((term) => fields[/^(\w+):/.exec(term)?.[1]?.toLowerCase() ?? ''] === undefined);
  return words.join(' ').replace(/"/g, '');
}
