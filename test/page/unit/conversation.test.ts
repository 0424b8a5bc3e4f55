import type { ConversationCall, ConversationEntry } from '../../../client/conversation/conversation';
import { callOutcome, tellingArgument } from '../../../page/conversation/call-summary';
import {
  emptyList,
  type EntryList,
  hasNewer,
  hasOlder,
  loadedRange,
  maxEntries,
  turnsFrom,
  withEntries,
} from '../../../page/conversation/entry-list';
import {
  afterContent,
  afterReaderScroll,
  afterReaderStops,
  following,
  isScrollKey,
} from '../../../page/conversation/following';

const mark = (position: number, text = ''): ConversationEntry => ({ kind: 'model', position, at: null, text });
const marks = (from: number, to: number): ConversationEntry[] =>
  Array.from({ length: to - from }, (_, index) => mark(from + index));
const loaded = (from: number, to: number, total: number): EntryList =>
  withEntries(emptyList, marks(from, to), total, 'start');

describe('the loaded part of a conversation', () => {
  test('grows at both ends, and replaces what is known', () => {
    const middle = loaded(50, 100, 120);
    expect([hasOlder(middle), hasNewer(middle)]).toEqual([true, true]);
    const more = withEntries(withEntries(middle, marks(0, 50), 120, 'end'), marks(100, 120), 120, 'start');
    expect(loadedRange(more)).toEqual({ from: 0, to: 120 });
    expect([hasOlder(more), hasNewer(more)]).toEqual([false, false]);
    expect(withEntries(more, [mark(7, 'new')], 120, 'start').entries[7]).toMatchObject({ text: 'new' });
  });

  test('has no gaps: entries that do not join it are counted only', () => {
    const list = withEntries(loaded(0, 50, 50), marks(80, 90), 90, 'start');
    expect(loadedRange(list)).toEqual({ from: 0, to: 50 });
    expect(list.total).toBe(90);
    expect(hasNewer(list)).toBe(true);
  });

  test('keeps a limited number, and drops pages at the end that nobody reads', () => {
    const all = marks(0, maxEntries + 1);
    expect(loadedRange(withEntries(emptyList, all, 501, 'start'))).toEqual({ from: 51, to: 501 });
    expect(loadedRange(withEntries(emptyList, all, 501, 'end'))).toEqual({ from: 0, to: 450 });
  });

  test('counts new turns', () => {
    expect(turnsFrom([...marks(0, 3), { ...mark(3), kind: 'turn' } as ConversationEntry], 2)).toBe(1);
  });
});

describe('following', () => {
  const at = (distance: number): { top: number; height: number; viewport: number } => ({
    top: 1_000 - distance,
    height: 1_600,
    viewport: 600,
  });

  test('ends when the reader moves away, and starts again within 48 pixels of the end', () => {
    const away = afterReaderScroll(following, at(49));
    expect(away.isOn).toBe(false);
    expect(afterReaderScroll(away, at(48))).toEqual(following);
  });

  test('ends when the reader selects or opens something', () => {
    expect(afterReaderStops(following).isOn).toBe(false);
  });

  test('content never starts it, however small it becomes; new turns are counted', () => {
    const away = afterContent(afterReaderScroll(following, at(300)), 3);
    expect(afterContent(away, 17)).toEqual({ isOn: false, missed: 20 });
    expect(afterContent(away, 0)).toBe(away);
    expect(afterContent(following, 5)).toBe(following);
  });

  test('a small scroll further up keeps the count', () => {
    const away = afterContent(afterReaderScroll(following, at(300)), 3);
    expect(afterReaderScroll(away, at(400))).toBe(away);
  });

  test('knows the keys that scroll', () => {
    expect(['PageUp', 'End', ' '].every(isScrollKey)).toBe(true);
    expect(isScrollKey('a')).toBe(false);
  });
});

describe('the line of a tool call', () => {
  const call = (tool: string, given: unknown, result: string | null = '', isError = false): ConversationCall => ({
    callId: 'c',
    tool,
    arguments: { text: typeof given === 'string' ? given : JSON.stringify(given) },
    result: result === null ? null : { text: result, isError },
    startedAt: null,
    tookMs: null,
  });

  test.each([
    ['read_file', { offset: 3, path: 'src/a.ts' }, 'src/a.ts'],
    ['grep', { pattern: 'skip', path: 'test/' }, '"skip" in test/'],
    ['grep', { pattern: 'skip' }, '"skip"'],
    ['dispatch_subagents', { delegations: [{}, {}, {}] }, '3 agents'],
    ['mcp__shop__refund', { amount: 3, order: 'o-17' }, 'o-17'],
    ['unknown', { text: '\n\n  first line\nsecond' }, 'first line'],
    ['list_files', {}, ''],
    // Only the beginning of the arguments is there.
    ['write_file', '{"path":"a \\"b\\".md","content":"cut', 'a "b".md'],
  ])('%s %j: %s', (tool, given, argument) => {
    expect(tellingArgument(call(tool, given))).toBe(argument);
  });

  test.each([
    [call('read_file', {}, 'a\nb\nc'), 'done', '3 lines'],
    [call('add_note', {}, 'noted'), 'done', 'noted'],
    [call('x', {}, ''), 'done', 'empty'],
    [call('x', {}, '{"a":1}'), 'done', '7 B'],
    [call('x', {}, null), 'running', 'running'],
    [call('x', {}, 'no such file: a\nstack', true), 'failed', 'no such file: a'],
    [call('x', {}, '{"type":"T","message":"it broke"}', true), 'failed', 'it broke'],
    [call('edit_file', { old_text: 'a\nb\n', new_text: 'a\nc\nd\n' }, 'ok'), 'done', '+2 −1'],
  ])('says what became of it (%#)', (given, state, words) => {
    expect(callOutcome(given)).toEqual({ state, words });
  });

  test('says the size of a result of which only the beginning is there', () => {
    const given = {
      ...call('x', {}),
      result: { text: 'a', isError: false, whole: { bytes: 5 * 1024 ** 2, hash: 'h' } },
    };
    expect(callOutcome(given).words).toBe('5.0 MiB');
  });
});
