import { diagnose } from '../../../client/why';
import { takeHandoffActivity } from '../../../domain/handoff';
import { fail, say, type ScriptedCall, type ScriptedReply, useTool, useTools } from '../../../testing/scripted-model';
import { failedAttemptsOf, failureOf } from '../../support/failures';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { until } from '../../support/until';

const zero = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
const note = { text: 'Noted.', kind: 'fact' };

/** What the model replies at first. The run has to end with the answer that follows. */
const poison: Readonly<Record<string, ScriptedReply>> = {
  'blank text beside a call': useTool('list_files', {}, { text: ' \n' }),
  'blank text at the output limit': say('\n', { stopReason: 'max_tokens' }),
  'a list as input': useTool('add_note', [1]),
  'null as input': useTools([{ name: 'add_note', input: {}, json: 'null' }]),
  'truncated input': useTools([{ name: 'add_note', input: {}, json: '{"text":"cut o' }]),
  'a number beyond all numbers': useTools([{ name: 'add_note', input: {}, json: '{"text":"x","n":1e999}' }]),
  'half a character': useTools([{ name: 'add_note', input: {}, json: String.raw`{"text":"\ud800"}` }]),
  'an id twice': useTools([
    { name: 'list_files', input: {}, id: 'same' },
    { name: 'list_files', input: {}, id: 'same' },
  ]),
  'an id that is not allowed': useTool('list_files', {}, { id: 'a b' }),
  'an id of 100 kB': useTool('list_files', {}, { id: 'x'.repeat(100_000) }),
  'a name that is not allowed': useTool('list files', {}),
  'a name of 100 kB': useTool('x'.repeat(100_000), {}),
  'a pause with a call': useTool('list_files', {}, { stopReason: 'pause_turn' }),
};

/** Values of the header that once ended a run, or the worker. */
const soon = ['0', '-5', '', 'Thu, 01 Jan 1970 00:00:00 GMT'];
const late = ['86400', '1e400', 'Infinity', '31536000000', 'Fri, 31 Dec 9999 23:59:59 GMT'];

describe('a run with an odd provider', () => {
  let harness: Harness;
  const scripts = new Map<string, (call: ScriptedCall) => ScriptedReply>();
  beforeAll(async () => {
    harness = await Harness.start((call) => {
      const [, name = ''] = /<case (.*?)>/.exec(call.systemText) ?? [];
      return scripts.get(name)?.(call) ?? fail(500, { message: `no script for "${name}"` });
    });
  });
  afterAll(() => harness.close());

  let runs = 0;
  function start(script: (call: ScriptedCall) => ScriptedReply, wishes: RunWishes = {}): Promise<RunHandle> {
    runs += 1;
    scripts.set(`${runs}`, script);
    return harness.startRun({ goal: `Look around. <case ${runs}>`, ...wishes });
  }
  /** Replies in turn. Nothing crashes here, so no request is repeated unless the engine asks again on purpose. */
  function inTurn(...replies: readonly ScriptedReply[]): (call: ScriptedCall) => ScriptedReply {
    let next = 0;
    return () => replies[next++] ?? fail(500, { message: 'no further reply' });
  }

  test('continues after replies that the API would not accept back, and sends nothing that it refuses', async () => {
    const answers = Object.entries(poison).map(async ([name, reply]) => {
      // Two further turns, because what the API does not accept back fails at every later request.
      const handle = await start(inTurn(reply, useTool('add_note', note), say(`Done: ${name}`)));
      return (await handle.result()).answer;
    });
    expect(await Promise.all(answers)).toEqual(Object.keys(poison).map((name) => ({ text: `Done: ${name}` })));
    expect(harness.model.rejected).toEqual([]);
  });

  test('tells the model why a call was not run', async () => {
    const told = async (reply: ScriptedReply): Promise<string> => {
      let text = '';
      const handle = await start((call) => {
        if (call.turn === 0) return reply;
        text = call.toolResults.map((result) => result.text).join('\n');
        return say('Done.');
      });
      await handle.result();
      return text;
    };
    const [truncated, paused, unnamed] = await Promise.all([
      told(poison['truncated input']!),
      told(poison['a pause with a call']!),
      told(poison['a name that is not allowed']!),
    ]);
    expect(truncated).toMatch(/^Not run: the input is not a complete JSON object/);
    expect(paused).toMatch(/^Not run: your reply was paused/);
    expect(unnamed).toContain('There is no tool named');
  });

  test.each<[string, ScriptedReply]>([
    ['is empty', say('')],
    ['is blank', say(' ')],
    ['announces a tool but has none', say('Now I call it.', { stopReason: 'tool_use' })],
    ['has nothing but thinking', say('', { thinking: 'Hm.' })],
  ])('asks again at once when a reply %s, and fails if that does not help', async (_, reply) => {
    const [helped, failed] = await Promise.all([
      start((call) => (call.attempt === 0 ? reply : say('Here I am.'))),
      start(() => reply),
    ]);
    expect(await helped.result()).toMatchObject({ answer: { text: 'Here I am.' }, turns: 1 });
    expect(await failureOf(failed)).toMatchObject({ type: 'Model.BadReply', nonRetryable: true });
    expect(await failedAttemptsOf(helped)).toEqual([]);
  });

  test('estimates tokens that the provider does not report, for its budget and its handoffs', async () => {
    const [counted, limited] = await Promise.all([
      start((call) => (call.turn === 0 ? useTool('list_files', {}, { usage: zero }) : say('Done.', { usage: zero }))),
      start(({ turn }) => useTool('list_files', { path: `${turn}` }, { usage: zero }), { budget: { tokens: 60_000 } }),
    ]);
    const { usage } = await counted.result();
    expect(usage).toMatchObject({ estimated: true });
    expect(usage.input).toBeGreaterThan(1_000);
    expect(usage.output).toBeGreaterThan(0);
    expect(await failureOf(limited)).toMatchObject({ type: 'Budget.Exceeded' });
  });

  test('hands off when the estimate says that the window is full', async () => {
    const artifact = { name: 'a.txt', content: 'x'.repeat(60_000) };
    const handle = await start(
      ({ request }) =>
        request.tool_choice?.type === 'none'
          ? say('Not in the required form.', { usage: zero })
          : useTool('write_artifact', artifact, { usage: zero }),
      { model: { name: 'claude-sonnet-5-5', maxTokens: 20_000, window: 60_000 } },
    );
    await until(async () => {
      const { events } = await handle.fetchHistory();
      const scheduled = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
      return scheduled.includes(takeHandoffActivity.name) || undefined;
    });
    // It may have ended by itself meanwhile.
    await handle.terminate('the test is over').catch(() => undefined);
  });

  test.each(soon)('tries again when the provider asks it to wait "%s"', async (value) => {
    const handle = await start((call) =>
      call.attempt === 0 ? fail(429, { headers: { 'retry-after': value } }) : say('Done.'),
    );
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' } });
    const [attempt, ...others] = await failedAttemptsOf(handle);
    expect([attempt?.type, others]).toEqual(['Model.RateLimited', []]);
    // The delay of the retry policy, and up to half as much again.
    expect(attempt?.retryDelayMs).toBeLessThanOrEqual(1_500);
  });

  test('waits an hour at most, says so, and its worker lives, however long the provider asks it to wait', async () => {
    const handles = await Promise.all(
      late.map((value) => start(() => fail(429, { headers: { 'retry-after': value, 'retry-after-ms': '' } }))),
    );
    for (const handle of handles) {
      const diagnosis = await until(async () => {
        const found = await diagnose(harness.client, handle.workflowId);
        return found.message.includes('60 minutes') ? found : undefined;
      });
      expect(JSON.stringify(diagnosis)).toMatch(/next in (59 min|1 h [01] min)/);
      await handle.terminate('the test is over');
    }
    expect(await (await start(() => say('Alive.'))).result()).toMatchObject({ answer: { text: 'Alive.' } });
  });
});
