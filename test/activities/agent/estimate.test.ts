import fc from 'fast-check';
import type { ModelPort } from '../../../activities/dependencies';
import { countOrEstimate } from '../../../activities/agent/request-reply';
import { estimateNextCall, initialProgress, type OpenedAgent } from '../../../domain/agent';
import { type Message, totalTokens } from '../../../domain/model';
import { emptySession, builtInSlices, createSessionSchema } from '../../../domain/session';
import type { BlobRef } from '../../../domain/store';
import { type ScriptedModel, say, startScriptedModel, useTools } from '../../../testing/scripted-model';
import { quietEnvironment } from '../../support/activity-environment';
import { adapters, look, requestTo, signal } from '../model/contract/adapters';

const bytes = (value: unknown): number => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
const refOf = (value: unknown): BlobRef => ({ hash: 'x', bytes: bytes(value), mediaType: 'text/plain' });

/** Texts of several scripts, dense ones too. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'bc ', '{"x":1}', '\n', '0f3', 'é', '語', '👩'), maxLength: 2_000 }),
  fc.lorem({ maxCount: 200 }),
);

// What budgets and context windows use when a provider can't count. The servers count for themselves.
describe.each(adapters)('the estimate of a call over $name', ({ create, model }) => {
  let server: ScriptedModel;
  let port: ModelPort;
  beforeAll(async () => {
    server = await startScriptedModel(() => say('no script'));
    port = create(server);
  });
  afterAll(() => server.close());

  test('is at least what the server counts, at the first call and after tools and notes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          system: text,
          results: fc.array(text, { minLength: 1, maxLength: 4 }),
          notes: fc.array(text, { maxLength: 2 }),
        }),
        async ({ system: given, results, notes: all }) => {
          const system = `You look.${given}`;
          const notes = all.filter((note) => note.trim() !== '');
          server.setScript((call) =>
            call.turn === 0
              ? useTools(results.map((_, at) => ({ name: 'look', input: { at: String(at) } })))
              : say('Seen.'),
          );
          const begin: Message = { role: 'user', content: [{ type: 'text', text: 'Begin.' }] };
          const request = requestTo(model, { system, tools: [look], messages: [begin] });
          const opened = {
            prompt: refOf(system),
            toolList: refOf([look]),
            opening: refOf('Begin.'),
          } as unknown as OpenedAgent;
          const facts = { maxTokens: 0, price: undefined, steering: [] };
          const first = initialProgress(opened, emptySession(createSessionSchema(builtInSlices)), null);
          const answer = await port.reply(request, signal);
          const input = (usage: typeof answer.usage): number => totalTokens(usage) - usage.output;
          expect(estimateNextCall(first, facts).tokens).toBeGreaterThanOrEqual(input(answer.usage));

          const calls = answer.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
          const outcomes = results.map((content, at) => ({
            callId: calls[at]!,
            isError: false,
            content: { text: content },
          }));
          const messages: Message[] = [
            begin,
            { role: 'assistant', content: answer.content },
            {
              role: 'user',
              content: [
                ...outcomes.map(({ callId, content }) => ({
                  type: 'toolResult' as const,
                  callId,
                  isError: false,
                  text: content.text === '' ? '(empty)' : content.text,
                })),
                ...notes.map((note) => ({ type: 'text' as const, text: note })),
              ],
            },
          ];
          const next = { ...first, occupancy: totalTokens(answer.usage), outcomes, notes };
          const reply = await port.reply({ ...request, messages }, signal);
          expect(estimateNextCall(next, facts).tokens).toBeGreaterThanOrEqual(input(reply.usage));
        },
      ),
      { numRuns: 40 },
    );
    expect(server.rejected).toEqual([]);
  });

  test('is larger for another model, which has counted nothing yet', () => {
    const opened = { prompt: refOf(''), toolList: refOf([]), opening: refOf('') } as unknown as OpenedAgent;
    const begun = initialProgress(opened, emptySession(createSessionSchema(builtInSlices)), null);
    const changed = { ...begun, occupancy: 1_000, changes: { model: { name: 'b', maxTokens: 1, window: 9 } } };
    const facts = { maxTokens: 0, price: undefined, steering: [] };
    expect(estimateNextCall({ ...changed, changesTold: true }, facts).tokens).toBe(1_000);
    expect(estimateNextCall({ ...changed, changesTold: false }, facts).tokens).toBe(1_500);
  });
});

test('a provider that cannot count tokens is not asked to', async () => {
  const port: ModelPort = {
    nativeStructuredOutput: false,
    capabilities: () => ({ countsTokens: false, structuredOutput: false, toolChoice: false, stopSequences: false }),
    reply: () => Promise.reject(new Error('asked')),
    countTokens: () => Promise.reject(new Error('asked')),
  };
  const counted = await quietEnvironment().run(() => countOrEstimate(port, requestTo('m'), { estimate: 77, signal }));
  expect(counted).toBe(77);
});
