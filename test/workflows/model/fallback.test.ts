import { readEnding } from '../../../client/agent/ending';
import { agentTree } from '../../../client/delegation/agent-tree';
import { diagnose } from '../../../client/why';
import { runIdOf } from '../../../domain/kernel';
import { costOf, findPrice, type FallbackRecord } from '../../../domain/model';
import {
  createGate,
  fail,
  overloaded,
  refuse,
  say,
  type Script,
  type ScriptedCall,
  type ScriptedReply,
  useTool,
} from '../../../testing/scripted-model';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';
import { snapshotQuery } from '../../../workflows/messages';
import { dispatch } from '../../support/delegation-script';
import { collectEvents } from '../../support/events';
import { failureOf } from '../../support/failures';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { resetToStart } from '../../support/own-roots';
import { operated } from '../../support/parked';
import { until } from '../../support/until';

const first = 'claude-sonnet-5-5';
const second = 'claude-haiku-5-5';
const third = 'claude-opus-5-5';
const model = { name: first, maxTokens: 1_000, window: 200_000 };

describe('a model that cannot be used', () => {
  let harness: Harness;
  let asked: ScriptedCall[];
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  /** Starts a run whose models behave differently. Retries follow each other quickly. */
  const start = (scripts: Readonly<Record<string, Script>>, wishes: RunWishes = {}): Promise<RunHandle> => {
    asked = [];
    harness.model.setScript((call) => {
      asked.push(call);
      const script = scripts[call.request.model];
      if (script === undefined) throw new Error(`${call.request.model} must not be asked`);
      return script(call);
    });
    return harness.startRun({
      model: { ...model, fallback: [second, third] },
      tuning: { heartbeatTimeoutMs: 2_000, retryIntervalMs: 10 },
      ...wishes,
    });
  };
  const modelsAsked = (): string[] => asked.map(({ request }) => request.model);
  const noteThen =
    (answer: string): Script =>
    (call) =>
      call.turn === 0 ? useTool('add_note', { text: 'n' }) : say(answer);

  test('is replaced by the next one when its retries are exhausted, for the rest of the run', async () => {
    const handle = await start({ [first]: () => overloaded(), [second]: noteThen('Done all the same.') });
    const result = await handle.result();
    expect(result).toMatchObject({ answer: { text: 'Done all the same.' }, turns: 2 });
    expect(modelsAsked()).toEqual([...Array.from({ length: 10 }, () => first), second, second]);
    const record: Partial<FallbackRecord> = { turn: 1, from: first, to: second, type: 'Model.Overloaded' };
    expect(result.fallbacks).toEqual([expect.objectContaining(record)]);
    // Everywhere a user would look.
    const snapshot = await handle.query(snapshotQuery);
    expect(snapshot).toMatchObject({ model: second, fallbacks: [record] });
    expect(await agentTree(harness.client, handle.workflowId)).toMatchObject({ fallbacks: [record] });
    expect((await diagnose(harness.client, handle.workflowId)).remarks).toEqual([
      expect.stringContaining(`turn 1: ${first} failed, and ${second} took over (Model.Overloaded: 529: Overloaded`),
    ]);
    const events = await collectEvents(harness.client, handle);
    expect(events.filter(({ kind }) => kind === 'model.replaced')).toEqual([
      expect.objectContaining({ turn: 1, from: first, to: second, failure: expect.anything() as unknown }),
    ]);
    const transcripts = new Transcripts(harness.store.forRun(runIdOf(handle.workflowId)!), new TranscriptCache());
    const { entries } = await transcripts.load(result.transcript);
    expect(entries.filter(({ kind }) => kind === 'change')).toEqual([
      {
        kind: 'change',
        model: { name: second, maxTokens: 1_000, window: 200_000, fallback: [third] },
        insteadOf: { model: first, type: 'Model.Overloaded', message: expect.any(String) as string },
      },
    ]);
  });

  test('is replaced at once when its spend limit is reached, also across executions, and each call has its own price', async () => {
    const handle = await start(
      {
        [first]: (call) => (call.turn === 0 ? useTool('add_note', { text: 'one' }) : fail(402)),
        [second]: (call) => (call.turn === 1 ? useTool('add_note', { text: 'two' }) : say('Paid by another.')),
      },
      { tuning: { turnsPerExecution: 1 }, budget: { microUsd: 5_000_000 } },
    );
    const result = await handle.result();
    expect(modelsAsked()).toEqual([first, first, second, second]);
    const usages = (await collectEvents(harness.client, handle)).flatMap((event) =>
      event.kind === 'turn' ? [event.usage] : [],
    );
    const cost = usages.map((usage, turn) => costOf(findPrice(turn === 0 ? first : second)!, usage));
    expect(result.microUsd).toBe(cost.reduce((sum, each) => sum + each, 0));
    expect(result.fallbacks).toMatchObject([{ turn: 2, from: first, to: second, type: 'Model.SpendLimit' }]);
  });

  test('passes on to the third, and the failure of the last names every model', async () => {
    const none = (): ScriptedReply => fail(402);
    const handle = await start({ [first]: none, [second]: none, [third]: none });
    const failure = await failureOf(handle);
    expect(failure.type).toBe('Model.SpendLimit');
    expect(failure.message).toContain(`${third}: 402`);
    expect(failure.message).toContain(
      `Failed before: ${first} (Model.SpendLimit in turn 1), ${second} (Model.SpendLimit in turn 1).`,
    );
    expect(modelsAsked()).toEqual([first, second, third]);
    expect((await readEnding(harness.client, handle.workflowId))?.fallbacks).toHaveLength(2);
    expect((await diagnose(harness.client, handle.workflowId)).remarks).toHaveLength(2);
  });

  test('leaves the decision to an operator when no other is left, who may go back to it', async () => {
    const isWell = { first: false };
    const handle = await start(
      { [first]: () => (isWell.first ? say('Back again.') : fail(402)), [second]: () => fail(402) },
      { model: { ...model, fallback: [second] }, onFailure: 'hold' },
    );
    const agent = operated(harness.client, handle.workflowId);
    expect(await agent.incident()).toMatchObject({
      type: 'Model.SpendLimit',
      message: expect.stringContaining(`Failed before: ${first}`) as string,
    });
    expect(await agent.details()).toContain(`turn 1: ${first} failed, and ${second} took over`);
    expect((await diagnose(harness.client, handle.workflowId)).remarks[0]).toContain(`${second} took over`);
    isWell.first = true;
    const back = { model: { name: first, fallback: [third] } };
    await agent.decide({ action: 'amend', incident: 'i1', amendment: back });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Back again.' } });
    expect(modelsAsked()).toEqual([first, second, first]);
  });

  test.each<[string, ScriptedReply, string]>([
    ['refuses', refuse('No.'), 'Model.Refused'],
    ['finds the request invalid', fail(400), 'Model.BadRequest'],
    ['does not accept the key', fail(401), 'Model.Unauthorized'],
  ])('is not replaced when it %s', async (_, reply, type) => {
    const handle = await start({ [first]: () => reply });
    expect(await failureOf(handle)).toMatchObject({ type });
    expect(modelsAsked()).toEqual([first]);
  });

  test('is not asked by delegations that start later; a delegation has its own list of models', async () => {
    const handle = await start({
      [first]: () => fail(404),
      [second]: (call) => {
        if (call.systemText.includes('PARENT PROMPT')) return fail(402);
        return call.turn === 0 ? useTool('dispatch_subagent', dispatch()) : say('Both done.');
      },
      [third]: () => say('The child is done.'),
    });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Both done.' } });
    expect(modelsAsked()).toEqual([first, second, second, third, second]);
    const tree = await agentTree(harness.client, handle.workflowId);
    expect(tree).toMatchObject({
      fallbacks: [{ from: first, to: second, type: 'Model.NotFound' }],
      children: [{ fallbacks: [{ from: second, to: third, type: 'Model.SpendLimit' }] }],
    });
  });

  test('is not asked again for a turn that another one has answered, even after a reset when it is well again', async () => {
    const isWell = { first: false };
    const handle = await start({
      [first]: () => (isWell.first ? say('From the first.') : fail(402)),
      [second]: noteThen('From the second.'),
    });
    const before = await handle.result();
    expect(asked).toHaveLength(3);
    isWell.first = true;
    expect(await resetToStart(harness, handle)).toMatchObject({ answer: before.answer, usage: before.usage });
    expect(asked).toHaveLength(3);
  });

  test('stays replaced when the worker stops in the middle of the other one’s answer', async () => {
    const gate = createGate();
    const handle = await start({
      [first]: () => fail(402),
      [second]: async () => {
        await gate.opened;
        return say('After the restart.');
      },
    });
    await until(() => (modelsAsked().includes(second) ? true : undefined));
    await harness.stopWorker();
    gate.open();
    await harness.startWorker();
    expect(await handle.result()).toMatchObject({ answer: { text: 'After the restart.' }, turns: 1 });
    expect(modelsAsked().filter((name) => name === first)).toHaveLength(1);
  });
});

describe('models that would take over are checked when the run starts', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('never asked'), {
      modelFacts: { 'mine-small': { window: 60_000 }, 'mine-unpriced': { window: 500_000 } },
    });
  });
  afterAll(() => harness.close());

  test.each<[string, RunWishes, RegExp]>([
    ['unknown', { model: { ...model, fallback: ['nobody-1'] } }, /^model\.fallback: "nobody-1" is not a known model/],
    [
      'too small',
      { model: { ...model, fallback: ['mine-small'] } },
      /^model\.fallback: the context window of "mine-small" \(60000 tokens\) is too small: .* 120000 tokens/,
    ],
    ['the model itself', { model: { ...model, fallback: [first] } }, /^model\.fallback: ".*" is the model itself/],
    [
      'without a price, if the cost is limited',
      { model: { ...model, fallback: ['mine-unpriced'] }, budget: { microUsd: 1_000_000 } },
      /^budget\.microUsd: the price of "mine-unpriced" is unknown/,
    ],
    ['named twice', { model: { ...model, fallback: [second, second] } }, /must not name a model twice/],
  ])('%s', async (_, wishes, message) => {
    const failure = await failureOf(await harness.startRun(wishes));
    expect(failure).toMatchObject({ type: 'Input.Invalid', message: expect.stringMatching(message) as string });
    expect(harness.model.calls).toHaveLength(0);
  });
});
