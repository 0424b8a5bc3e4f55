import type { ViewState } from '../../../client/view/run-view';
import { parseFilter } from '../../../page/tree/filter';
import type { TreeRow } from '../../../page/tree/rows';
import { TreeLayout } from '../../../page/tree/tree-layout';
import { agentRow, agentsOf, batchRows } from './rows';

const words = (rows: readonly TreeRow[]): string[] =>
  rows.map((row) => {
    const indent = '  '.repeat(row.level - 1);
    if (row.kind === 'agent') return `${indent}${row.path === '' ? 'root' : row.path}`;
    if (row.kind === 'batch') return `${indent}batch of ${row.size}`;
    if (row.kind === 'fold') return `${indent}${row.paths.length} ${row.state}`;
    return `${indent}${row.paths.length} × ${row.type}: ${row.message}`;
  });

const times = (count: number, state: ViewState): ViewState[] => Array.from({ length: count }, () => state);

describe('a batch of 1,000', () => {
  const states = [...times(2, 'needs you'), ...times(36, 'failed'), ...times(962, 'completed')];
  const rows = [agentRow('', { state: 'waiting' }), ...batchRows(states)];

  test('is one row, those who need a decision, one row of failures and one of the rest', () => {
    const layout = new TreeLayout(agentsOf(rows));
    expect(words(layout.rows())).toEqual([
      'root',
      '  batch of 1000',
      '    b0',
      '    b1',
      '    36 failed',
      '    962 completed',
    ]);
  });

  test('opens its failures into groups by type and by message without its numbers', () => {
    const agents = agentsOf(rows);
    for (let index = 2; index < 38; index++) {
      const isOutput = index > 32;
      agents.set(`b${index}`, {
        failure: isOutput
          ? { type: 'Output.Invalid', message: 'no JSON' }
          : { type: 'Model.RateLimited', message: `429, wait ${index} s` },
      });
    }
    const layout = new TreeLayout(agents);
    const failed = layout.rows().find((row) => row.kind === 'fold' && row.state === 'failed');
    layout.setOpen(failed?.key ?? '', true);
    expect(words(layout.rows()).slice(4, 7)).toEqual([
      '    36 failed',
      '      31 × Model.RateLimited: #, wait # s',
      '      5 × Output.Invalid: no JSON',
    ]);
  });

  test('never folds somebody who needs a decision', () => {
    const many = [agentRow(''), ...batchRows([...times(300, 'needs you'), ...times(10, 'completed')])];
    expect(new TreeLayout(agentsOf(many)).rows()).toHaveLength(1 + 1 + 300 + 1);
  });
});

test('a fold hides neither who needs a decision nor what failed below its agents', () => {
  const below = (parent: string, state: ViewState): ReturnType<typeof agentRow> =>
    agentRow(`${parent}/c`, { parent, state });
  const agents = agentsOf([
    agentRow(''),
    ...batchRows(times(30, 'completed')),
    below('b3', 'failed'),
    below('b7', 'needs you'),
  ]);
  const layout = new TreeLayout(agents);
  const shown = ['    b3', '      b3/c', '    b7', '      b7/c', '    28 completed'];
  expect(words(layout.rows())).toEqual(['root', '  batch of 30', ...shown]);
  agents.set('b9/c', { parent: 'b9', state: 'needs you' });
  expect(words(layout.rows())).toContain('      b9/c');

  for (const parent of ['b11', 'b12', 'b13', 'b14', 'b15']) agents.set(`${parent}/c`, { parent, state: 'failed' });
  layout.tidy();
  const failed = layout.rows().find((row) => row.kind === 'fold' && row.state === 'failed');
  layout.setOpen(failed?.key ?? '', true);
  expect(words(layout.rows()).slice(-3)).toEqual(['    6 failed', '      6 × failed below: ', '    22 completed']);
});

describe('rows that are shown', () => {
  const start = (states: readonly ViewState[]): { agents: ReturnType<typeof agentsOf>; layout: TreeLayout } => {
    const agents = agentsOf([agentRow('', { state: 'waiting' }), ...batchRows(states)]);
    const layout = new TreeLayout(agents);
    layout.rows();
    return { agents, layout };
  };

  test('stay where they are when their agents end, until tidied', () => {
    const { agents, layout } = start([...times(15, 'running'), ...times(30, 'completed')]);
    const before = words(layout.rows());
    for (let index = 0; index < 15; index++) agents.set(`b${index}`, { state: 'completed' });
    expect(words(layout.rows())).toEqual(before);
    layout.tidy();
    expect(words(layout.rows())).toEqual(['root', '  batch of 45', '    45 completed']);
  });

  test('are joined by an agent that was folded and needs a decision now', () => {
    const { agents, layout } = start(times(30, 'completed'));
    agents.set('b17', { state: 'needs you' });
    expect(words(layout.rows())).toEqual(['root', '  batch of 30', '    b17', '    29 completed']);
  });

  test('are joined by new agents at the end while they are few, else by a count', () => {
    const { agents, layout } = start(times(3, 'running'));
    agents.set('b3', { parent: '', state: 'running', batch: { callId: 'call', turn: 4, index: 3, size: 60 } });
    expect(words(layout.rows()).at(-1)).toBe('    b3');
    for (let index = 4; index < 60; index++)
      agents.set(`b${index}`, { parent: '', state: 'running', batch: { callId: 'call', turn: 4, index, size: 60 } });
    expect(words(layout.rows()).at(-1)).toBe('    40 running');
  });

  test('get a row for a state that had none, below the others', () => {
    const { agents, layout } = start(times(40, 'running'));
    agents.set('b39', { state: 'cancelled' });
    expect(words(layout.rows()).slice(-2)).toEqual(['    19 running', '    1 cancelled']);
  });
});

describe('agents outside of batches', () => {
  const chain = Array.from({ length: 12 }, (_, index) => Array.from({ length: index + 1 }, () => 'x').join('/'));

  test('are shown one below the other, with their level and place', () => {
    const rows = new TreeLayout(agentsOf([agentRow(''), agentRow('a'), agentRow('a/b'), agentRow('c')])).rows();
    expect(words(rows)).toEqual(['root', '  a', '    a/b', '  c']);
    expect(rows.map(({ position, siblings }) => [position, siblings])).toEqual([
      [1, 1],
      [1, 2],
      [1, 1],
      [2, 2],
    ]);
  });

  test('can be closed and opened, one by one and all at once', () => {
    const layout = new TreeLayout(agentsOf([agentRow(''), ...chain.map((path) => agentRow(path))]));
    expect(layout.rows()).toHaveLength(13);
    layout.setOpen('agent:x/x', false);
    expect(layout.rows()).toHaveLength(3);
    layout.setAll(false);
    expect(layout.rows()).toHaveLength(1);
    layout.setAll(true);
    expect(layout.rows()).toHaveLength(13);
  });

  test('can be revealed, also inside of closed and folded rows', () => {
    const rows = [agentRow(''), ...batchRows(times(100, 'completed')), agentRow('b50/deep')];
    const layout = new TreeLayout(agentsOf(rows));
    layout.setAll(false);
    layout.reveal('b50/deep');
    expect(words(layout.rows())).toEqual(['root', '  batch of 100', '    b50', '      b50/deep', '    99 completed']);
  });
});

describe('a filter', () => {
  const rows = [
    agentRow('', { state: 'waiting' }),
    ...batchRows([...times(50, 'completed'), 'failed']),
    agentRow('v', {
      role: 'verifier',
      state: 'failed',
      failure: { type: 'Budget.Exceeded', message: '' },
      own: { turns: 3, usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, microUsd: 700_000 },
    }),
    agentRow('v/w', {
      segments: [{ kind: 'tool', from: 0, to: 1, turn: 1, label: 'grep, read_file', isError: false }],
    }),
  ];
  const filtered = (text: string): string[] => {
    const layout = new TreeLayout(agentsOf(rows));
    layout.rows();
    return words(layout.rows(parseFilter(text)));
  };

  test.each([
    ['status:failed', ['root', '  b50', '  v']],
    ['type:budget', ['root', '  v']],
    ['cost:>0.5', ['root', '  v']],
    ['tool:grep', ['root', '  v', '    v/w']],
    ['verif', ['root', '  v']],
    ['"agent b7"', ['root', '  b7']],
    ['status:failed verifier', ['root', '  v']],
    ['nobody', []],
  ])('%s leaves hits and what is above them', (text, expected) => {
    expect(filtered(text)).toEqual(expected);
  });

  test('that is empty or unfinished changes nothing', () => {
    expect(parseFilter('')).toBeUndefined();
    expect(parseFilter('status:')).toBeUndefined();
  });

  test('that is cleared leaves folds as they were', () => {
    const layout = new TreeLayout(agentsOf(rows));
    layout.setOpen('agent:v', false);
    const before = words(layout.rows());
    layout.rows(parseFilter('grep'));
    expect(words(layout.rows())).toEqual(before);
  });
});
