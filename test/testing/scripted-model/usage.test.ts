import type Anthropic from '@anthropic-ai/sdk';
import { say } from '../../../testing/scripted-model';
import { ask, closeAll, errorOf, modelName, start, tool } from './support';

afterEach(closeAll);

const ephemeral = { cache_control: { type: 'ephemeral' as const } };
const text = (length: number, more: object = {}): Anthropic.TextBlockParam => ({
  type: 'text',
  text: 'x'.repeat(length),
  ...more,
});

/** Uncached, read and written input tokens of a call. */
const split = ({ usage }: Anthropic.Message): unknown => [
  usage.input_tokens,
  usage.cache_read_input_tokens,
  usage.cache_creation_input_tokens,
];

describe('tokens', () => {
  it('are counted from the bytes of the whole prompt', async () => {
    const { client } = await start(() => say('ok'));
    const count = await client.messages.countTokens({
      model: modelName,
      system: 'You are brief.',
      tools: [tool('look')],
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const message = await client.messages.create(ask('Hi', { system: 'You are brief.', tools: [tool('look')] }));
    expect(count.input_tokens).toBeGreaterThan(20);
    expect(message.usage.input_tokens).toBe(count.input_tokens);
  });

  it('are refused when the prompt is longer than the context window', async () => {
    const models = [{ id: modelName, maxInputTokens: 100, maxTokens: 1000 }];
    const { client } = await start(() => say('ok'), { models });
    const error = await errorOf(client.messages.create(ask('x'.repeat(1000))));
    expect(error.message).toContain('prompt is too long: 252 tokens > 100 maximum');
  });
});

describe('the prompt cache', () => {
  it('is written at a breakpoint and read by the next call with the same prefix', async () => {
    const { client, model } = await start(() => say('ok'));
    const system = [text(393, ephemeral)];
    const turn = (...contents: Anthropic.MessageParam[]) =>
      client.messages.create({ ...ask(''), system, messages: contents });
    const opening: Anthropic.MessageParam = { role: 'user', content: [text(195, ephemeral)] };
    expect(split(await turn(opening))).toEqual([0, 0, 150]);
    const answered: Anthropic.MessageParam[] = [
      { ...opening, content: [text(195)] },
      { role: 'assistant', content: 'ok' },
    ];
    const longer = await turn(...answered, { role: 'user', content: [text(183, ephemeral), text(35)] });
    expect(split(longer)).toEqual([10, 150, 50]);
    expect(model.calls[1]?.usage).toMatchObject({ input_tokens: 10, cache_read_input_tokens: 150 });
    expect(longer.usage.cache_creation).toEqual({ ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 0 });
  });

  it('is not read by another model, or after a different prefix', async () => {
    const { client } = await start(() => say('ok'));
    const request = (length: number, model = modelName) =>
      client.messages.create({ ...ask('Hi'), model, system: [text(length, ephemeral)] });
    expect(split(await request(393))).toEqual([2, 0, 100]);
    expect(split(await request(393))).toEqual([2, 100, 0]);
    expect(split(await request(397))).toEqual([2, 0, 101]);
    expect(split(await request(393, 'claude-sonnet-5'))).toEqual([2, 0, 100]);
  });

  it('finds an earlier breakpoint at most 20 blocks back', async () => {
    const { client } = await start(() => say('ok'));
    const blocks = (count: number) => Array.from({ length: count }, () => text(3));
    const read = async (added: number): Promise<number | null> => {
      const content = [text(395, ephemeral), ...blocks(added - 1), ...(added > 0 ? [text(3, ephemeral)] : [])];
      return (await client.messages.create({ ...ask(''), messages: [{ role: 'user', content }] })).usage
        .cache_read_input_tokens;
    };
    await client.messages.create({ ...ask(''), messages: [{ role: 'user', content: [text(395, ephemeral)] }] });
    expect(await read(10)).toBe(100);
    const far = [text(395), ...blocks(39), text(3, ephemeral)];
    const missed = await client.messages.create({ ...ask(''), messages: [{ role: 'user', content: far }] });
    expect(missed.usage.cache_read_input_tokens).toBe(0);
  });

  it('may be requested with one field for the whole request', async () => {
    const { client } = await start(() => say('ok'));
    const request = ask('x'.repeat(395), { cache_control: { type: 'ephemeral', ttl: '1h' } });
    const first = await client.messages.create(request);
    expect(split(first)).toEqual([0, 0, 100]);
    expect(first.usage.cache_creation).toEqual({ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 });
    expect(split(await client.messages.create(request))).toEqual([0, 100, 0]);
  });
});

describe('models', () => {
  it('are listed and shown with their limits', async () => {
    const { client } = await start(() => say('ok'));
    const ids: string[] = [];
    for await (const info of client.models.list()) ids.push(info.id);
    expect(ids).toContain(modelName);
    const info = await client.models.retrieve('claude-haiku-5-5');
    expect(info).toMatchObject({ id: 'claude-haiku-5-5', max_input_tokens: 200_000, max_tokens: 64_000 });
  });

  it('that do not exist are not found', async () => {
    const { client, model } = await start(() => say('ok'));
    const expected = { status: 404, type: 'not_found_error', apiMessage: 'model: claude-nine' };
    expect(await errorOf(client.messages.create(ask('Hi', { model: 'claude-nine' })))).toMatchObject(expected);
    expect(await errorOf(client.models.retrieve('claude-nine').then())).toMatchObject(expected);
    expect(model.calls).toHaveLength(0);
  });
});
