import fc from 'fast-check';
import { canonicalJson } from '../../../domain/kernel';
import {
  judgeReply,
  type Message,
  type ReplyBlock,
  type StopReason,
  stopReasonSchema,
  whyNotRun,
} from '../../../domain/model';
import type { ToolDescription } from '../../../domain/tool';

/** A block that a model port may return although its type forbids it. */
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
const earlier: Message = { role: 'assistant', content: [{ type: 'toolCall', id: 'used', name: 'a', input: {} }] };
const request = { tools: [tool('list_files'), tool('unknown_tool_1')], messages: [earlier] };
const answerOf = (content: readonly Block[], stopReason: string) => ({
  content: content as readonly ReplyBlock[],
  stopReason: stopReason as StopReason,
});
const judge = (content: readonly Block[], stopReason: string): ReturnType<typeof judgeReply> =>
  judgeReply(answerOf(content, stopReason), request);
const provider = { name: 'p', data: { signature: 's' } };
const text = (value: unknown): Block => ({ type: 'text', text: value });
const call = (more: Readonly<Record<string, unknown>> = {}): Block => ({
  type: 'toolCall',
  id: 'c1',
  name: 'list_files',
  input: {},
  ...more,
});
const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) });

describe('a reply that can be used as it is', () => {
  test.each<[string, readonly Block[], string]>([
    ['text', [text('hi')], 'done'],
    ['text with an unknown stop reason', [text('hi')], 'other'],
    ['a tool call', [call()], 'toolCalls'],
    ['text and calls', [text('hi'), call(), call({ id: 'c2', provider })], 'toolCalls'],
    ['thinking', [{ type: 'thinking', text: '', provider }, text('hi')], 'done'],
    ['opaque blocks', [{ type: 'opaque', provider }, text('hi')], 'done'],
    ['nothing, at the output limit', [], 'outputLimit'],
    ['nothing, because it was refused', [], 'refused'],
    ['nothing, because the window is full', [], 'contextExceeded'],
    ['a pause after an opaque block', [{ type: 'opaque', provider }], 'paused'],
  ])('has %s', (_, content, stopReason) => {
    const answer = answerOf(content, stopReason);
    expect(judgeReply(answer, request)).toEqual({ verdict: 'usable', answer });
  });
});

describe('a reply that is requested again', () => {
  test.each<[string, readonly Block[], string, string]>([
    ['nothing', [], 'done', 'it is empty'],
    ['blank text', [text(' \n')], 'done', 'it is empty'],
    ['nothing but thinking', [{ type: 'thinking', text: 't' }], 'done', 'neither text'],
    ['a stop reason for tools but no tool', [text('Now I call it.')], 'toolCalls', 'announces a tool call'],
    ['nothing before a pause', [], 'paused', 'it is empty'],
    ['text that is no text', [text(7)], 'done', 'invalid block of type "text": text'],
    ['a call without an id', [call({ id: undefined })], 'toolCalls', 'invalid block of type "toolCall": id'],
    ['a block of a provider', [{ type: 'tool_use', id: 'c' }], 'toolCalls', 'invalid block of type "tool_use"'],
    ['data that is no JSON', [{ ...text('hi'), provider: { name: 'p', data: [1 / 0] } }], 'done', 'out of range'],
  ])('has %s', (_, content, stopReason, reason) => {
    expect(judge(content, stopReason)).toEqual({
      verdict: 'unusable',
      reason: expect.stringContaining(reason) as string,
    });
  });
});

describe('a reply that is repaired', () => {
  test.each<[string, readonly Block[], string, readonly Block[], string]>([
    ['blank text beside a call', [text('\n\n'), call()], 'toolCalls', [call()], 'dropped a text block without text'],
    ['blank text at the output limit', [text('')], 'outputLimit', [], 'dropped a text block'],
    ['half a character', [text('a\ud800')], 'done', [text('a\ufffd')], 'unpaired surrogate in the text'],
    ['an id twice', [call(), call()], 'toolCalls', [call(), call({ id: 'call_1' })], 'another id'],
    ['an id of an earlier reply', [call({ id: 'used' })], 'toolCalls', [call({ id: 'call_1' })], 'another id'],
    ['no id', [call({ id: '' })], 'toolCalls', [call({ id: 'call_1' })], 'another id'],
    ['an id that is not allowed', [call({ id: 'a b' })], 'toolCalls', [call({ id: 'call_1' })], 'another id'],
    ['a very long id', [call({ id: 'x'.repeat(129) })], 'toolCalls', [call({ id: 'call_1' })], 'another id'],
    ['a bad name', [call({ name: 'list files' })], 'toolCalls', [call({ name: 'unknown_tool_2' })], 'another name'],
    ['no name', [call({ name: '' })], 'toolCalls', [call({ name: 'unknown_tool_2' })], 'another name'],
    [
      'a very long name',
      [call({ name: 'x'.repeat(1e5) })],
      'toolCalls',
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
    const judgement = judge([call({ input })], 'toolCalls');
    expect(judgement).toMatchObject({ verdict: 'repaired', repairs: [expect.stringContaining('will not run')] });
    const { answer } = judgement as { answer: ReturnType<typeof answerOf> };
    expect(answer.content).toEqual([call({ input: { unreadable_input: written } })]);
    expect(whyNotRun(answer, 'c1')).toContain('not a complete JSON object');
  });

  test.each(['done', 'stopSequence', 'x'.repeat(1_000)])('has a call but the stop reason %.20s', (stopReason) => {
    expect(judge([call()], stopReason)).toMatchObject({ answer: { stopReason: 'toolCalls' } });
  });

  test('has a stop reason that does not exist', () => {
    expect(judge([text('hi')], 'end_turn')).toMatchObject({ answer: { stopReason: 'other' } });
  });
});

test('every judgement can be stored, and a repaired reply needs no further repair', () => {
  const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.double(), fc.constant(undefined));
  const block = fc.record(
    {
      type: fc.constantFrom('text', 'toolCall', 'thinking', 'opaque', 'other'),
      text: fc.oneof({ weight: 5, arbitrary: fc.string({ unit: 'binary' }) }, value),
      id: fc.oneof(value, fc.constantFrom('a', 'used')),
      name: fc.oneof(value, fc.constant('list_files')),
      input: fc.oneof(value, fc.dictionary(fc.string(), value)),
      provider: fc.oneof(value, fc.record({ name: fc.string(), data: value })),
    },
    { requiredKeys: ['type'] },
  );
  const fields = { text: ['text'], toolCall: ['id', 'name', 'input'], thinking: ['text'], opaque: [], other: [] };
  const likely = block.map(({ type, provider, ...rest }) => {
    const wanted: readonly string[] = fields[type];
    const own = Object.entries(rest).filter(([name]) => wanted.includes(name));
    return { type, ...Object.fromEntries(own), ...(provider === undefined ? {} : { provider }) };
  });
  const reason = fc.oneof(fc.constantFrom(...stopReasonSchema.options), fc.string());
  const verdicts = new Set<string>();
  fc.assert(
    fc.property(fc.array(likely, { maxLength: 3 }), reason, (content, stopReason) => {
      const first = judge(content, stopReason);
      verdicts.add(first.verdict);
      if (first.verdict === 'unusable') return;
      canonicalJson(first.answer);
      expect(judgeReply(first.answer, request).verdict).toBe('usable');
    }),
    { numRuns: 1_000 },
  );
  expect([...verdicts].sort()).toEqual(['repaired', 'unusable', 'usable']);
});

describe('why a tool call has no result', () => {
  const reply = (stopReason: string) => answerOf([call()], stopReason);
  test.each([
    ['paused', 'your reply was paused'],
    ['toolCalls', 'at most 64 tool calls run per reply'],
  ])('is explained after %s', (stopReason, words) => {
    expect(whyNotRun(reply(stopReason), 'c1')).toContain(words);
  });
});
