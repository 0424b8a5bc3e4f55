import { once } from 'node:events';
import type { StatusSnapshot } from '../../../domain/agent';
import { totalTokens } from '../../../domain/model';
import {
  dropConnection,
  endEarly,
  failFirstAttempts,
  failMidStream,
  hang,
  overloaded,
  rateLimited,
  say,
  scriptByTurn,
  type ScriptedReply,
  serverError,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { failedAttemptsOf, failureOf } from '../../support/failures';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { workersOfEachTest } from '../../support/worker-process';

// What a run does is the same with every provider. The scripted model plays both APIs with the same scripts.
describe.each([
  { api: 'Messages', name: 'claude-sonnet-5-5' },
  { api: 'Chat Completions', name: 'openai:scripted' },
])('a run over $api', ({ api, name }) => {
  let harness: Harness;
  const fork = workersOfEachTest(() => harness);
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  beforeEach(() => {
    harness.model.setScript(() => say('no script'));
  });
  afterEach(() => {
    expect(harness.model.rejected).toEqual([]);
  });
  afterAll(() => harness.close());

  const start = (wishes: RunWishes = {}): Promise<RunHandle> =>
    harness.startRun({ model: { name, maxTokens: 1_000, window: 200_000 }, ...wishes });
  const snapshotOf = ({ workflowId }: RunHandle): Promise<StatusSnapshot> =>
    harness.client.workflow.getHandle(workflowId).query<StatusSnapshot>('snapshot');
  const outcomes = (from: number): string[] => harness.model.calls.slice(from).map(({ outcome }) => outcome);

  test('answers after parallel tools, and its usage has the cached tokens', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript(
      scriptByTurn(
        useTools(
          [
            { name: 'add_note', input: { text: 'one' } },
            { name: 'read_file', input: { path: 'missing.txt' } },
          ],
          { thinking: 'First a note.', text: 'I take a note.' },
        ),
        ({ toolResults }) =>
          say(`Saw ${toolResults.map(({ isError }) => (isError ? 'an error' : 'a result')).join(' and ')}.`),
      ),
    );
    const handle = await start();
    const result = await handle.result();
    expect(result).toMatchObject({ answer: { text: 'Saw a result and an error.' }, turns: 2 });
    const calls = harness.model.calls.slice(from);
    expect(calls.map(({ chat }) => (chat === undefined ? 'Messages' : 'Chat Completions'))).toEqual([api, api]);
    const { usage } = await snapshotOf(handle);
    expect(usage.cacheRead).toBeGreaterThan(500);
    const counted = calls.map(({ usage: call }) => Object.values(call ?? {}) as number[]);
    expect(totalTokens(usage)).toBe(counted.flat().reduce((sum, count) => sum + count, 0));
    expect(usage.estimated).toBeUndefined();
  });

  test.each<[string, ScriptedReply, string]>([
    ['429 with a delay', rateLimited({ retryAfterSeconds: 1 }), 'Model.RateLimited'],
    ['500', serverError(), 'Model.ServerError'],
    ['529', overloaded(), 'Model.Overloaded'],
    ['a drop in mid-stream', dropConnection({ afterEvents: 3 }), 'Model.Unreachable'],
    ['an early end', endEarly(), 'Model.Unreachable'],
    ['an error in mid-stream', failMidStream(), 'Model.Overloaded'],
  ])('continues after %s', async (_, trouble, type) => {
    harness.model.setScript(failFirstAttempts([trouble], () => say('Done all the same.')));
    const handle = await start();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done all the same.' } });
    expect(await failedAttemptsOf(handle)).toMatchObject([{ type }]);
  });

  test('is cancelled in mid-stream, and so is the call', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript(() => hang({ afterEvents: 3 }));
    const handle = await start();
    await harness.model.waitForCall(from);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await harness.model.waitForOutcome(from)).outcome).toBe('aborted');
  });

  test('is paid for once when the worker dies after the reply', async () => {
    await harness.stopWorker();
    const from = harness.model.calls.length;
    harness.model.setScript(scriptByTurn(useTool('list_files', {}), say('Done.')));
    const first = await fork({ dieAfterAnswers: 1 });
    const died = once(first, 'exit');
    const handle = await start({ tuning: { heartbeatTimeoutMs: 1_000 } });
    expect((await died)[1]).toBe('SIGKILL');
    await harness.startWorker();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' }, turns: 2 });
    expect(outcomes(from)).toEqual(['answered', 'answered']);
  });

  test('keeps to its budget', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript(({ turn }) => useTool('add_note', { text: `note ${turn}` }));
    const budget = { tokens: 30_000 };
    const handle = await start({ budget });
    expect(await failureOf(handle)).toMatchObject({ type: 'Budget.Exceeded' });
    const { usage, turn } = await snapshotOf(handle);
    expect(totalTokens(usage)).toBeLessThanOrEqual(budget.tokens);
    expect(turn).toBeGreaterThan(1);
    expect(outcomes(from)).toHaveLength(turn);
  });

  test('estimates what the provider does not count, and says so', async () => {
    const nothing = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
    harness.model.setScript(() => say('Done.', { usage: nothing }));
    const handle = await start();
    await handle.result();
    const { usage } = await snapshotOf(handle);
    expect(usage.estimated).toBe(true);
    expect(usage.input).toBeGreaterThan(500);
  });
});
