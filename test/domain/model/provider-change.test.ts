import fc from 'fast-check';
import { droppedByChange, type Message, type ReplyBlock, toMessages } from '../../../domain/model';
import type { ConversationEntry } from '../../../domain/model/model-messages';

const claude = { name: 'claude-sonnet-5-5' };
const gpt = { name: 'openai:gpt-5' };
const gemini = { name: 'google:gemini-3' };
const provider = { name: 'anthropic', data: { signature: 's' } };
const text = (value: string): ReplyBlock => ({ type: 'text', text: value });
const call = (id: string): ReplyBlock => ({ type: 'toolCall', id, name: 'read', input: {} });
const reply = (...content: readonly ReplyBlock[]): ConversationEntry => ({ kind: 'reply', content });
const results = (...ids: readonly string[]): ConversationEntry => ({
  kind: 'toolResults',
  results: ids.map((callId) => ({ callId, isError: false, text: 'ok' })),
});
const opening: ConversationEntry = { kind: 'opening', firstMessage: 'Begin.', model: claude };

describe('a conversation that another provider continues', () => {
  const begun: readonly ConversationEntry[] = [
    opening,
    reply({ type: 'thinking', text: 'Hm', provider }, { ...text('I read.'), provider }, { ...call('a'), provider }),
    results('a'),
    reply({ type: 'opaque', provider }, { type: 'thinking', text: 'Hm', provider }),
    { kind: 'note', text: 'Go on.' },
  ];

  test('has its texts, tool calls and results, and nothing that only the first provider understands', () => {
    expect(toMessages(begun, gpt)).toEqual([
      { role: 'user', content: [text('Begin.')] },
      { role: 'assistant', content: [text('I read.'), call('a')] },
      // The reply between them had nothing else, so they are one message.
      { role: 'user', content: [{ type: 'toolResult', callId: 'a', isError: false, text: 'ok' }, text('Go on.')] },
    ]);
  });

  test('is complete for every model of the first provider, also after others have replied', () => {
    const elsewhere: readonly ConversationEntry[] = [
      { kind: 'change', model: gpt },
      reply({ type: 'opaque', provider: { name: 'openai', data: 1 } }, text('From there.')),
      { kind: 'change', model: { name: 'anthropic:claude-opus-5-5' } },
    ];
    const messages = toMessages([...begun, ...elsewhere], { name: 'claude-haiku-5-5' });
    const sent = messages.flatMap(({ content }) => content);
    const own = begun.flatMap((entry) => (entry.kind === 'reply' ? entry.content : []));
    expect(sent).toEqual(expect.arrayContaining([...own]));
    expect(sent.filter(({ type }) => type === 'opaque')).toHaveLength(1);
    expect(sent.at(-1)).toEqual(text('From there.'));
  });

  test('records how much is left out, by provider, and only when the provider changes', () => {
    expect(droppedByChange(begun, gpt)).toEqual([{ provider: 'anthropic', thinking: 2, opaque: 1, data: 2 }]);
    expect(droppedByChange(begun, { name: 'claude-opus-5-5' })).toEqual([]);
    expect(droppedByChange(begun, undefined)).toEqual([]);
    const further = [...begun, { kind: 'change' as const, model: gpt }, reply({ type: 'thinking', text: 't' })];
    expect(droppedByChange(further, { name: 'openai:gpt-5-mini' })).toEqual([]);
    expect(droppedByChange(further, gemini)).toEqual([
      { provider: 'anthropic', thinking: 2, opaque: 1, data: 2 },
      { provider: 'openai', thinking: 1, opaque: 0, data: 0 },
    ]);
    expect(droppedByChange(further, claude)).toEqual([{ provider: 'openai', thinking: 1, opaque: 0, data: 0 }]);
    expect(droppedByChange([opening, reply(text('plain'))], gpt)).toEqual([]);
  });
});

/** Conversations as the engine records them: after each reply, results of all its calls, or something else to answer. */
const models = [claude, gpt, gemini, { name: 'claude-opus-5-5' }];
const blocks = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.string({ minLength: 1 }), provider: fc.constant(provider) }),
    fc.record({ type: fc.constant('text'), text: fc.string({ minLength: 1 }) }),
    fc.record({ type: fc.constant('thinking'), text: fc.string() }),
    fc.record({ type: fc.constant('opaque'), provider: fc.constant(provider) }),
    fc.constant({ type: 'toolCall', name: 'read', input: {}, provider }),
  ),
  { maxLength: 5 },
);
const turn = fc.record({ content: blocks, change: fc.option(fc.constantFrom(...models), { nil: undefined }) });
const conversation = fc.tuple(fc.constantFrom(...models), fc.array(turn, { maxLength: 8 })).map(([first, turns]) => {
  const entries: ConversationEntry[] = [{ kind: 'opening', firstMessage: 'Begin.', model: first }];
  for (const [number, { content, change }] of turns.entries()) {
    const named = content.map((block, index) =>
      block.type === 'toolCall' ? { ...block, id: `c${number}-${index}` } : block,
    ) as ReplyBlock[];
    const ids = named.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
    entries.push(reply(...named), ids.length > 0 ? results(...ids) : { kind: 'note', text: 'Go on.' });
    if (change !== undefined) entries.push({ kind: 'change', model: change });
  }
  return entries;
});

function checkValid(messages: readonly Message[]): void {
  messages.forEach(({ role, content }, index) => {
    expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant');
    expect(content.length).toBeGreaterThan(0);
    const before = messages[index - 1]?.content ?? [];
    const calls = before.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
    const answered = content.flatMap((block) => (block.type === 'toolResult' ? [block.callId] : []));
    if (role === 'user') expect(answered).toEqual(calls);
  });
  expect(messages.at(-1)?.role).toBe('user');
}

test('whoever continues a conversation, every message is valid and nothing foreign is left', () => {
  fc.assert(
    fc.property(conversation, fc.constantFrom(...models), (entries, model) => {
      const messages = toMessages(entries, model);
      checkValid(messages);
      const sent = messages.flatMap(({ content }) => content);
      const written = entries.flatMap((entry) => (entry.kind === 'reply' ? entry.content : []));
      const kept = (type: string): number => sent.filter((block) => block.type === type).length;
      const wrote = (type: string): number => written.filter((block) => block.type === type).length;
      expect(kept('toolCall')).toBe(wrote('toolCall'));
      // What is missing is exactly what is recorded for a change to this model at this point.
      const other = { name: 'nobody:else' };
      const all = droppedByChange(entries, other);
      const named = (name: string): string => (name.includes(':') ? name.split(':')[0]! : 'anthropic');
      const missing = all.filter((parts) => parts.provider !== named(model.name));
      const sum = (field: 'thinking' | 'opaque'): number => missing.reduce((total, parts) => total + parts[field], 0);
      expect(wrote('thinking') - kept('thinking')).toBe(sum('thinking'));
      expect(wrote('opaque') - kept('opaque')).toBe(sum('opaque'));
    }),
    { numRuns: 300 },
  );
});
