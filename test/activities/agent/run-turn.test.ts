import type { Client } from '@temporalio/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActivities } from '../../../activities/create-activities';
import type { AgentActivities } from '../../../activities/interface';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import { defaultLimits, type OpenedAgent, type TurnReply } from '../../../domain/agent';
import type { Store } from '../../../domain/store';
import { openFileStore } from '../../../store/file/open-file-store';
import {
  createGate,
  say,
  startScriptedModel,
  useTools,
  type Script,
  type ScriptedModel,
} from '../../../testing/scripted-model';
import { quietEnvironment } from '../../support/activity-environment';
import { replyOf, turnInput, type TurnToTake } from './turn-support';

// No test here waits for a delegation.
const noClient = {} as Client;

const runInput = {
  runId: 'r1',
  goal: 'Say something.',
  model: { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 },
  limits: defaultLimits,
};

describe('runTurn', () => {
  let folder: string;
  let store: Store;
  let model: ScriptedModel;
  let activities: AgentActivities;
  let opened: OpenedAgent;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-call-'));
    store = await openFileStore(join(folder, 'store'));
    model = await startScriptedModel(() => say('unscripted'));
    activities = createActivities({
      store,
      model: createAnthropicModel({ apiKey: 'scripted', baseUrl: model.baseUrl }),
      tools: [],
      prompts: [],
      client: noClient,
      searchAttributes: false,
      place: () => Promise.resolve(undefined),
    });
    opened = await quietEnvironment().run(activities.openRun, runInput);
  });
  afterEach(async () => {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  });

  const input = (more: Partial<TurnToTake> = {}): ReturnType<typeof turnInput> =>
    turnInput({
      runId: 'r1',
      storeId: opened.storeId,
      head: opened.opening,
      identity: { execution: 'e1', call: 0, try: 0 },
      ...more,
    });
  const call = async (more: Partial<TurnToTake> = {}): Promise<TurnReply> =>
    replyOf(await quietEnvironment().run(activities.runTurn, input(more)));
  const play = (script: Script): void => {
    model.setScript(script);
  };

  test('returns the same reply to two attempts that were both answered', async () => {
    const gate = createGate();
    play(async ({ attempt }) => {
      await gate.opened;
      return say(`answer to attempt ${attempt}`);
    });
    const attempts = [call(), call()];
    await model.waitForCall(1);
    gate.open();
    const [one, other] = await Promise.all(attempts);
    expect(one).toEqual(other);
    expect(model.answered).toBe(2);
  });

  test('does not repeat a call that was answered before', async () => {
    play(({ index }) => say(`answer ${index}`));
    const first = await call();
    expect(await call()).toEqual(first);
    expect(model.calls).toHaveLength(1);
  });

  test.each([
    ['asked to try again', { identity: { execution: 'e1', call: 0, try: 1 } }],
    ['of another execution', { identity: { execution: 'e2', call: 0, try: 0 } }],
    ['of another request', { notes: ['something new'] }],
  ])('calls the model again when it is %s', async (_, more) => {
    play(({ index }) => say(`answer ${index}`));
    await call();
    await call(more);
    expect(model.calls).toHaveLength(2);
  });

  test('keeps large tool inputs and many calls within the limit for history', async () => {
    const calls = Array.from({ length: 100 }, (_, i) => ({ name: 'write', input: { text: `${i}`.repeat(2_000) } }));
    play(() => useTools(calls, { usage: {} }));
    const roomy = { ...runInput, model: { ...runInput.model, maxTokens: 120_000 } };
    opened = await quietEnvironment().run(activities.openRun, roomy);
    const reply = await call();
    expect(reply.toolCalls).toHaveLength(64);

    play((next) => say(next.toolResults.at(-1)?.text ?? ''));
    const outcomes = reply.toolCalls.map(({ id }) => ({ callId: id, isError: false, content: { text: 'ok' } }));
    const answer = await call({ head: reply.head, outcomes, identity: { execution: 'e1', call: 1, try: 0 } });
    expect(answer.text).toHaveProperty('text', expect.stringMatching(/^Not run: at most 64/));
  });

  test('treats the reply to a handoff call as complete, not as the rest of a truncated reply', async () => {
    play(() => say('half a sent', { stopReason: 'max_tokens' }));
    const { head } = await call();
    play(() => say('whole'));
    const next = { head, notes: ['Go on.'], identity: { execution: 'e1', call: 1, try: 0 } };
    expect((await call(next)).text).toEqual({ text: 'half a sentwhole' });
    const last = { ...next, notes: ['Hand over.'], closing: true as const };
    expect((await call(last)).text).toEqual({ text: 'whole' });
  });

  test('fails when the worker has a different store from the run', async () => {
    const failure: unknown = await call({ storeId: 'another' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'Store.Other' });
  });

  test('names the missing blob', async () => {
    const gone = { ...opened.opening, hash: 'f'.repeat(64) };
    const failure: unknown = await call({ head: gone }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'Store.BlobMissing', message: expect.stringMatching(/r1.*ffff/) as unknown });
  });

  test('fails at once without an API key, and says what to do', async () => {
    const { runTurn } = createActivities({
      store,
      model: createAnthropicModel({ apiKey: undefined }),
      tools: [],
      prompts: [],
      client: noClient,
      searchAttributes: false,
      place: () => Promise.resolve(undefined),
    });
    const failure: unknown = await quietEnvironment()
      .run(runTurn, input())
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      type: 'Model.Unauthorized',
      nonRetryable: true,
      message: expect.stringContaining('ANTHROPIC_API_KEY') as unknown,
    });
  });
});
