import { z } from 'zod';
import { agentTree } from '../../../client/delegation/agent-tree';
import { runIdOf } from '../../../domain/kernel';
import { costOf, findPrice, type ModelCatalog } from '../../../domain/model';
import { readRunRecord } from '../../../store/run-record';
import {
  defaultModels,
  fail,
  modelSpec,
  say,
  type Script,
  type ScriptedCall,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { definePrompt } from '../../../worker';
import { snapshotQuery } from '../../../workflows/messages';
import { skillOf } from '../../domain/skill/samples';
import { dispatch } from '../../support/delegation-script';
import { collectEvents } from '../../support/events';
import { failureOf } from '../../support/failures';
import { handingOver, handoffsBefore, isClosing, lookUp } from '../../support/handoffs';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { operated } from '../../support/parked';

const claude = 'claude-sonnet-5-5';
const other = 'openai:scripted';
const facts: ModelCatalog = {
  [other]: { window: 100_000, maxTokens: 2_000, price: { input: 2, output: 10 } },
  'mine-narrow': { window: 14_500, maxTokens: 1_000 },
};
const model = { name: claude, maxTokens: 4_000, window: 200_000 };

const helper = (key: string, wishes: NonNullable<Parameters<typeof definePrompt>[0]['model']>) =>
  definePrompt({
    ns: 'acme',
    key,
    description: 'Helps.',
    parameters: z.object({}),
    sections: [{ key: 'stance', title: 'Stance', template: 'Help at once.' }],
    model: wishes,
  }).definition;

describe('a run with several models', () => {
  let harness: Harness;
  let asked: ScriptedCall[];
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), {
      tools: [lookUp],
      models: [...defaultModels, modelSpec('mine-1'), modelSpec('mine-narrow', { maxInputTokens: 14_500 })],
      modelFacts: facts,
      prompts: [
        helper('small', { name: 'claude-haiku-5-5', maxTokens: 300 }),
        helper('foreign', { name: other, fallback: [claude] }),
        helper('lost', { name: 'nobody-2' }),
      ],
      skills: [
        skillOf({ name: 'thinker', model: { name: other }, output: 'text' }),
        skillOf({ name: 'stranger', model: { name: 'nobody-1' }, output: 'text' }),
      ],
    });
  });
  afterAll(() => harness.close());

  const play = (script: Script, wishes: RunWishes = {}): Promise<RunHandle> => {
    asked = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return script(call);
    });
    return harness.startRun({ model, ...wishes });
  };
  /** The scripted model knows the model of another provider without its prefix. */
  const modelsAsked = (): string[] => asked.map(({ request }) => request.model);
  const isRoot = ({ systemText }: ScriptedCall): boolean => systemText.includes('Look around and report');

  test('has that of each skill and prompt, with its own window, reply limit and price', async () => {
    const handle = await play((call) => {
      if (call.systemText.includes('You are a sample.')) return say('Thought about.');
      if (call.systemText.includes('Help at once.')) return say('Helped.');
      if (call.turn > 0) return say('Both are done.');
      return useTools([
        { name: 'dispatch_skill', input: { skill: 'thinker', input: { goal: 'Think.' } } },
        { name: 'dispatch_subagent', input: dispatch({ prompt_ns: 'acme', prompt_key: 'small' }) },
      ]);
    });
    const result = await handle.result();
    expect(result).toMatchObject({ answer: { text: 'Both are done.' } });
    const used = asked.map(({ request }) => [request.model, request.max_tokens]);
    expect(used).toEqual(
      expect.arrayContaining([
        [claude, 4_000],
        ['scripted', 2_000],
        ['claude-haiku-5-5', 300],
      ]),
    );
    const { children } = await agentTree(harness.client, handle.workflowId);
    const cost = (name: string, at: number): number => costOf(findPrice(name, {}, facts)!, children[at]!.own.usage);
    const bySummary = children.map(({ summary }) => (summary.startsWith('acme/small') ? 'claude-haiku-5-5' : other));
    expect(children.map(({ own }) => own.microUsd)).toEqual(bySummary.map(cost));
    expect(children[bySummary.indexOf(other)]?.own.microUsd).toBeGreaterThan(0);
    expect(result.microUsd).toBe(
      costOf(findPrice(claude)!, result.usage) + children.reduce((sum, { own }) => sum + own.microUsd!, 0),
    );
    expect(harness.model.rejected).toEqual([]);
  });

  test('may begin with the prompt of another provider, whose fallback is its own', async () => {
    const handle = await play(
      ({ request }) => (request.model === 'scripted' ? fail(402, { type: 'insufficient_quota' }) : say('Here I am.')),
      { goal: undefined, prompt: { ns: 'acme', key: 'foreign' } },
    );
    const result = await handle.result();
    expect(result).toMatchObject({
      answer: { text: 'Here I am.' },
      fallbacks: [{ from: other, to: claude, type: 'Model.SpendLimit' }],
    });
    expect(modelsAsked()).toEqual(['scripted', claude]);
    expect(await handle.query(snapshotQuery)).toMatchObject({ model: claude, window: 200_000 });
    const record = await readRunRecord(harness.store.forRun(runIdOf(handle.workflowId)!));
    // Pinned with what was known when it started.
    expect(record?.root.settings).toMatchObject({
      model: { name: other, window: 100_000, maxTokens: 2_000, fallback: [claude] },
      models: { ...facts, [claude]: { window: 200_000 } },
    });
  });

  test('needs only the name of a model that the worker describes', async () => {
    const { workflow } = harness.client;
    harness.model.setScript(() => say('Short.'));
    const workflowId = `run/named-${Date.now()}`;
    const input = { goal: 'Say it.', model: { name: other } };
    const handle = await workflow.start('runWorkflow', { workflowId, taskQueue: harness.taskQueue, args: [input] });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Short.' } });
    expect(await handle.query(snapshotQuery)).toMatchObject({ model: other, window: 100_000 });
  });

  test('refuses only what has a model that nobody describes, and records that when it starts', async () => {
    let told = '';
    const handle = await play((call) => {
      if (call.turn === 0)
        return useTools([
          { name: 'dispatch_skill', input: { skill: 'stranger', input: { goal: 'Think.' } } },
          { name: 'dispatch_subagent', input: dispatch({ prompt_ns: 'acme', prompt_key: 'lost' }) },
        ]);
      told = call.toolResults.map(({ text }) => text).join('\n');
      return say('Then not.');
    });
    await handle.result();
    expect(told).toMatch(/model settings of the skill "stranger" .*"nobody-1" is not a known model/);
    expect(told).toMatch(/prompt_key: .*"nobody-2" is not a known model/);
    const record = await readRunRecord(harness.store.forRun(runIdOf(handle.workflowId)!));
    expect(record?.root.modelNotes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^skill stranger cannot be dispatched: .*"nobody-1" is not a known model/),
        expect.stringMatching(/^prompt acme\/lost cannot be dispatched: /),
      ]),
    );
    const own = await harness.startRun({ goal: undefined, prompt: { ns: 'acme', key: 'lost' } });
    expect(await failureOf(own)).toMatchObject({
      type: 'Input.Invalid',
      message: expect.stringMatching(/^prompt: .*"nobody-2" is not a known model.*BATON_MODELS or --models/) as string,
    });
  });

  test('may be amended to the model of another provider, whose price and window count from then on', async () => {
    const handle = await play(
      (call) => {
        if (call.request.model === 'mine-1') return say('Amended.');
        if (call.turn === 0) return useTool('add_note', { text: 'n' });
        return call.request.model === 'scripted' && call.turn === 1 ? useTool('add_note', { text: 'm' }) : fail(400);
      },
      {
        onFailure: 'hold',
        budget: { microUsd: 5_000_000 },
        limits: { maxTurns: 9, maxDepth: 0, maxChildren: 0, maxParallel: 1 },
      },
    );
    const agent = operated(harness.client, handle.workflowId);
    await agent.incident('i1');
    await agent.decide({ action: 'amend', incident: 'i1', amendment: { model: { name: other } } });
    expect(await agent.incident('i2')).toMatchObject({ type: 'Model.BadRequest' });
    expect(await agent.snapshot()).toMatchObject({ model: other, window: 100_000 });
    const price = { input: 100, output: 100, cacheRead: 100, cacheWrite: 100 };
    const mine = { name: 'mine-1', window: 50_000, price };
    await agent.decide({ action: 'amend', incident: 'i2', amendment: { model: mine } });
    const result = await handle.result();
    expect(result).toMatchObject({ answer: { text: 'Amended.' }, turns: 3 });
    expect(modelsAsked()).toEqual([claude, claude, 'scripted', 'scripted', 'mine-1']);
    const usages = (await collectEvents(harness.client, handle)).flatMap((event) =>
      event.kind === 'turn' ? [event.usage] : [],
    );
    const prices = [findPrice(claude)!, findPrice(other, {}, facts)!, price];
    expect(result.microUsd).toBe(usages.reduce((sum, usage, turn) => sum + costOf(prices[turn]!, usage), 0));
  });

  test('hands off a conversation that is too long for the model that takes over', async () => {
    const isFull = { value: false };
    const handle = await play(
      handingOver((call) => {
        if (call.request.model === 'mine-narrow') return say(handoffsBefore(call) > 0 ? 'Shorter now.' : 'Too long.');
        if (call.turn < 3) return useTool('look_up', { seed: call.turn, bytes: 9_000 });
        isFull.value = true;
        return fail(402);
      }),
      {
        model: { name: claude, maxTokens: 1_000, window: 22_000, fallback: ['mine-narrow'] },
        limits: { maxTurns: 9, maxDepth: 0, maxChildren: 0, maxParallel: 1 },
      },
    );
    expect(await handle.result()).toMatchObject({ answer: { text: 'Shorter now.' } });
    expect(isFull.value).toBe(true);
    expect(asked.filter(isClosing).map(({ request }) => request.model)).toEqual(['mine-narrow']);
    const snapshot = await handle.query(snapshotQuery);
    expect(snapshot).toMatchObject({ model: 'mine-narrow', window: 14_500, handoffs: [{ number: 1 }] });
    expect(snapshot.fallbacks).toHaveLength(1);
    expect(isRoot(asked[0]!)).toBe(true);
  });
});
