import fc from 'fast-check';
import { judgeReply, type Message } from '../../../domain/model';
import { whyNotRun } from '../../../domain/model';
import type { ToolDescription } from '../../../domain/tool';

type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

const tool = (name: string): ToolDescription => ({
  id: name,
  name,
  description: 'd',
  inputSchema: { type: 'object' },
  success: 's',
  cost: 'c',
  safeToRepeat: true,
});
const earlier: Message = { role: 'assistant', content: [{ type: 'tool_use', id: 'used', name: 'a', input: {} }] };
const request = { tools: [tool('list_files'), tool('unknown_tool_1')], messages: [earlier] };
const judge = (content: readonly Block[], stopReason = 'end_turn'): ReturnType<typeof judgeReply> =>
  judgeReply({ content, stopReason }, request);
const text = (value: unknown): Block => ({ type: 'text', text: value });
const call = (more: Readonly<Record<string, unknown>> = {}): Block => ({
  type: 'tool_use',
  id: 'c1',
  name: 'list_files',
  input: {},
  ...more,
});
const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) });

describe('a reply that can be used as it is', () => {
  test.each<[string, readonly Block[], string]>([
    ['text', [text('hi')], 'end_turn'],
    ['text with an unknown stop reason', [text('hi')], 'something_new'],
    ['a tool call', [call()], 'tool_use'],
    ['text and calls', [text('hi'), call(), call({ id: 'c2' })], 'tool_use'],
    ['signed thinking', [{ type: 'thinking', thinking: '', signature: 's' }, text('hi')], 'end_turn'],
    ['blocks of unknown types', [{ type: 'web_search_result', data: [1] }, text('hi')], 'end_turn'],
    ['nothing, at the output limit', [], 'max_tokens'],
    ['nothing, because it was refused', [], 'refusal'],
    ['nothing, because the window is full', [], 'model_context_window_exceeded'],
    ['a pause after a search', [{ type: 'server_tool_use', id: 's', name: 'n', input: {} }], 'pause_turn'],
  ])('has %s', (_, content, stopReason) => {
    const answer = { content, stopReason };
    expect(judgeReply(answer, request)).toEqual({ verdict: 'usable', answer });
  });
});

describe('a reply that is requested again', () => {
  test.each<[string, readonly Block[], string, string]>([
    ['nothing', [], 'end_turn', 'it is empty'],
    ['blank text', [text(' \n')], 'end_turn', 'it is empty'],
    ['text that is no text', [text(7)], 'end_turn', 'it is empty'],
    ['nothing but thinking', [{ type: 'thinking', thinking: 't', signature: 's' }], 'end_turn', 'neither text'],
    ['a stop reason for tools but no tool', [text('Now I call it.')], 'tool_use', 'announces a tool call'],
    ['nothing before a pause', [], 'pause_turn', 'it is empty'],
  ])('has %s', (_, content, stopReason, reason) => {
    expect(judge(content, stopReason)).toEqual({
      verdict: 'unusable',
      reason: expect.stringContaining(reason) as string,
    });
  });
});

describe('a reply that is repaired', () => {
  test.each<[string, readonly Block[], string, readonly Block[], string]>([
    ['blank text beside a call', [text('\n\n'), call()], 'tool_use', [call()], 'dropped a text block without text'],
    ['blank text at the output limit', [text('')], 'max_tokens', [], 'dropped a text block'],
    [
      'unsigned thinking',
      [{ type: 'thinking', thinking: 't' }, text('x')],
      'end_turn',
      [text('x')],
      'dropped thinking',
    ],
    ['a result of a tool', [{ type: 'tool_result' }, text('x')], 'end_turn', [text('x')], 'dropped a tool result'],
    ['half a character', [text('a\ud800')], 'end_turn', [text('a\ufffd')], 'unpaired surrogate in the text'],
    ['an id twice', [call(), call()], 'tool_use', [call(), call({ id: 'call_1' })], 'another id'],
    ['an id of an earlier reply', [call({ id: 'used' })], 'tool_use', [call({ id: 'call_1' })], 'another id'],
    ['no id', [call({ id: undefined })], 'tool_use', [call({ id: 'call_1' })], 'another id'],
    ['an id that is not allowed', [call({ id: 'a b' })], 'tool_use', [call({ id: 'call_1' })], 'another id'],
    ['a very long id', [call({ id: 'x'.repeat(129) })], 'tool_use', [call({ id: 'call_1' })], 'another id'],
    ['a bad name', [call({ name: 'list files' })], 'tool_use', [call({ name: 'unknown_tool_2' })], 'another name'],
    ['no name', [call({ name: '' })], 'tool_use', [call({ name: 'unknown_tool_2' })], 'another name'],
    [
      'a very long name',
      [call({ name: 'x'.repeat(1e5) })],
      'tool_use',
      [call({ name: 'unknown_tool_2' })],
      'another name',
    ],
  ])('has %s', (_, content, stopReason, repaired, repair) => {
    expect(judge(content, stopReason)).toEqual({
      verdict: 'repaired',
      answer: { content: repaired, stopReason },
      repairs: [expect.stringContaining(repair)],
    });
  });

  test.each<[string, unknown, string]>([
    ['truncated JSON', '{"steps":["one","tw', '{"steps":["one","tw'],
    ['a list', [1], '[1]'],
    ['a number', 7, '7'],
    ['null', null, 'null'],
    ['nothing', undefined, 'null'],
    ['a number beyond all numbers', { n: Number.POSITIVE_INFINITY }, '{"n":null}'],
    ['not a number', { n: Number.NaN }, '{"n":null}'],
    ['half a character', { text: '\udc00' }, '{"text":"\\udc00"}'],
    ['half a character in a key', { '\udc00': 1 }, '{"\\udc00":1}'],
    ['too many levels', deep(200), JSON.stringify(deep(200))],
  ])('has a call that is never run, and the model learns why: %s', (_, input, written) => {
    const judgement = judge([call({ input })], 'tool_use');
    expect(judgement).toMatchObject({ verdict: 'repaired', repairs: [expect.stringContaining('will not run')] });
    const { answer } = judgement as { answer: { content: readonly Block[]; stopReason: string } };
    expect(answer.content).toEqual([call({ input: { unreadable_input: written } })]);
    expect(whyNotRun(answer, 'c1')).toContain('not a complete JSON object');
  });

  test.each(['end_turn', 'stop_sequence', 'x'.repeat(1_000)])('has a call but the stop reason %.20s', (stopReason) => {
    expect(judge([call()], stopReason)).toMatchObject({ answer: { stopReason: 'tool_use' } });
  });

  test('has a stop reason that is no name', () => {
    expect(judge([text('hi')], 'a b'.repeat(1e5))).toMatchObject({ answer: { stopReason: 'end_turn' } });
  });
});

test('every judgement can be stored, and a repaired reply needs no further repair', () => {
  const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.double(), fc.constant(undefined));
  const block = fc.record(
    {
      type: fc.constantFrom('text', 'tool_use', 'thinking', 'tool_result', 'other'),
      text: value,
      id: fc.oneof(value, fc.constantFrom('a', 'used')),
      name: fc.oneof(value, fc.constant('list_files')),
      input: fc.oneof(value, fc.dictionary(fc.string(), value)),
      thinking: value,
      signature: value,
    },
    { requiredKeys: ['type'] },
  );
  const reason = fc.oneof(fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'pause_turn'), fc.string());
  fc.assert(
    fc.property(fc.array(block), reason, (content, stopReason) => {
      const first = judgeReply({ content, stopReason }, request);
      if (first.verdict === 'unusable') return;
      expect(judgeReply(first.answer, request).verdict).toBe('usable');
    }),
    { numRuns: 500 },
  );
});

describe('why a tool call has no result', () => {
  const reply = (stopReason: string) => ({ stopReason, content: [call()] });
  test.each([
    ['pause_turn', 'your reply was paused'],
    ['tool_use', 'at most 64 tool calls run per reply'],
  ])('is explained after %s', (stopReason, words) => {
    expect(whyNotRun(reply(stopReason), 'c1')).toContain(words);
  });
});
