import { SentEventParser } from '../../../page/live/sse';
import { newAgent, withChange } from '../../../page/state/changes';
import { moved, present, totalOf } from '../../../page/state/counts';
import { agentRow } from './rows';

describe('server-sent events', () => {
  const text = ': hello\r\nid: e.1\nevent: rows\ndata: {"a":\ndata: 1}\n\nevent: ping\rdata:x\r\rid: e.2\ndata: é\n\n';
  const expected = [
    { id: 'e.1', name: 'rows', data: '{"a":\n1}' },
    { id: 'e.1', name: 'ping', data: 'x' },
    { id: 'e.2', name: 'message', data: 'é' },
  ];

  test('are complete wherever the pieces end', () => {
    for (let size = 1; size <= text.length; size++) {
      const parser = new SentEventParser();
      const events = [];
      for (let at = 0; at < text.length; at += size) events.push(...parser.add(text.slice(at, at + size)));
      expect(events).toEqual(expected);
    }
  });

  test('are not given before their empty line', () => {
    const parser = new SentEventParser();
    expect(parser.add('data: a\n')).toEqual([]);
    expect(parser.add('\n')).toHaveLength(1);
    expect(parser.add('\n\n')).toEqual([]);
  });
});

describe('changes of an agent', () => {
  const segment = { kind: 'model', from: 5, to: null, turn: 1, label: 'thinking', isError: false } as const;

  test('replace fields, and replace or add segments', () => {
    const row = withChange(agentRow('a', { segments: [segment] }), {
      path: 'a',
      state: 'failed',
      segments: [
        { ...segment, to: 9 },
        { ...segment, from: 10 },
      ],
    });
    expect(row).toMatchObject({ state: 'failed', headline: 'Agent a' });
    expect(row.segments.map(({ from, to }) => [from, to])).toEqual([
      [5, 9],
      [10, null],
    ]);
  });

  test('after a reset have all segments', () => {
    const row = withChange(agentRow('a', { segments: [segment] }), { path: 'a', segments: [], replaced: [segment] });
    expect(row).toMatchObject({ segments: [], replaced: [segment] });
  });

  test('of somebody unknown add an agent below its parent', () => {
    expect(newAgent({ path: 'a/b' })).toMatchObject({ parent: 'a', state: 'unknown' });
    expect(newAgent({ path: 'b' })).toMatchObject({ parent: '' });
  });
});

test('counts follow agents from state to state, in the order of attention', () => {
  const counts = moved(moved(moved({}, null, 'running'), null, 'completed'), 'running', 'failed');
  expect(present(counts)).toEqual([
    { state: 'failed', count: 1 },
    { state: 'completed', count: 1 },
  ]);
  expect(totalOf(counts)).toBe(2);
});
