import type { StatusSnapshot } from '../../../domain/agent';
import { lowResourcesNotice } from '../../../domain/budget';
import { totalTokens } from '../../../domain/model';
import { type CallRecord, say, type Script, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { reset } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { failureOf } from '../../support/failures';
import { handingOver, lookUp } from '../../support/handoffs';
import { Harness, type RunHandle } from '../../support/harness';
import { newTexts } from '../../support/new-texts';
import { operated } from '../../support/parked';
import { treePlayer } from '../../support/tree-player';

const endless: Script = ({ turn }) => useTool('add_note', { text: `note ${turn}` });

/** A request as the provider's cache sees it. */
function bytesOf({ request }: CallRecord): string {
  const { system, tools, messages } = request;
  return JSON.stringify([system, tools, messages], (name, value: unknown) =>
    name === 'cache_control' ? undefined : value,
  );
}

/** Notices that a request sends for the first time. */
function noticesIn(call: CallRecord): readonly string[] {
  return newTexts(call).filter((text) => text.startsWith(lowResourcesNotice));
}

describe('an agent that runs low', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [lookUp] });
  });
  afterAll(() => harness.close());
  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  const snapshotOf = ({ workflowId }: RunHandle): Promise<StatusSnapshot> =>
    harness.client.workflow.getHandle(workflowId).query<StatusSnapshot>('snapshot');
  /** Starts a run, and returns a function that returns its calls. */
  const start = async (...arguments_: Parameters<typeof play>) => {
    const from = harness.model.calls.length;
    return { ...(await play(...arguments_)), calls: () => harness.model.calls.slice(from) };
  };

  test('of tokens is told what is left, once per share and truly, and the cached prefix stays', async () => {
    const budget = 90_000;
    const { handle, calls } = await start([endless], {
      budget: { tokens: budget },
      tuning: { turnsPerExecution: 2 },
    });
    expect(await failureOf(handle)).toMatchObject({ type: 'Budget.Exceeded' });
    const made = calls();
    const told = made.flatMap((call, index) => noticesIn(call).map((text) => ({ index, text })));
    expect(told).toHaveLength(2);
    for (const { index, text } of told) {
      const spent = made
        .slice(0, index)
        .reduce((sum, { usage }) => sum + Object.values({ ...usage }).reduce((all, tokens) => all + tokens, 0), 0);
      expect(text).toContain(`budget: ${budget - spent} of ${budget} tokens are left`);
      expect(text).not.toContain('context window');
    }
    const left = told.map(({ text }) => Number(/budget: (\d+)/.exec(text)?.[1]) / budget);
    expect(left[0]).toBeLessThanOrEqual(0.25);
    expect(left[1]).toBeLessThanOrEqual(0.1);
    // Every request begins with the bytes of the one before it, and the provider reads those from its cache.
    made.slice(1).forEach((call, index) => {
      const before = made[index]!;
      expect(bytesOf(call).startsWith(bytesOf(before).slice(0, -2))).toBe(true);
      const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = before.usage!;
      expect(call.usage?.cache_read_input_tokens).toBeGreaterThanOrEqual(read + written);
    });
  });

  test('of turns is told, and so is a delegation of its share', async () => {
    const { handle, calls, asked } = await start(
      [scriptByTurn(useTool('dispatch_subagent', dispatch()), say('Done.')), endless],
      { budget: { turns: 11 } },
    );
    await handle.result();
    // One for the root's first call, and two reserved for it: the delegation has eight.
    const below = asked.filter((call) => depthOf(call) === 1);
    expect(below).toHaveLength(8);
    const told = calls().map((call) => noticesIn(call));
    expect(told.flat()).toHaveLength(2);
    expect(told[7]).toEqual([expect.stringContaining('budget: 2 of 8 turns are left for you and your delegations')]);
    expect(told.at(-1)).toEqual([expect.stringContaining('budget: 2 of 11 turns are left')]);
  });

  test('of its own turns and dollars is told, unless notices are off', async () => {
    const limits = { maxTurns: 4, maxDepth: 0, maxChildren: 0, maxParallel: 1 };
    const prices = { 'claude-sonnet-5-5': { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 } };
    const wishes = { limits, prices, budget: { microUsd: 45_000 } };
    const { handle, calls } = await start([endless], wishes);
    expect(await failureOf(handle)).toMatchObject({ type: 'Agent.TurnLimit' });
    expect(calls().map((call) => noticesIn(call).length)).toEqual([0, 0, 0, 1]);
    expect(noticesIn(calls()[3]!)[0]).toContain('turns: 1 of your 4 turns are left');
    const { spent } = await snapshotOf(handle);
    expect(spent.microUsd).toBeGreaterThan(0);
    const silent = await start([endless], { ...wishes, notices: [] });
    await failureOf(silent.handle);
    expect(silent.calls().flatMap(noticesIn)).toEqual([]);
    // With shares of its own, it is told at each of them.
    const often = await start([endless], { ...wishes, notices: [0.5, 0.75] });
    await failureOf(often.handle);
    const turns = often.calls().map((call) => noticesIn(call).filter((text) => text.includes('turns: ')).length);
    expect(turns).toEqual([0, 1, 1, 0]);
  });

  test('of its context window is told once per conversation, before it hands off', async () => {
    const script = handingOver(({ turn }) => useTool('look_up', { seed: turn, bytes: 1_500 }));
    const model = { name: 'claude-sonnet-5-5', maxTokens: 500, window: 20_000 };
    const { handle, calls } = await start([script], { model, handoff: { at: 0.5, max: 1 } });
    expect(await failureOf(handle)).toMatchObject({ type: 'Agent.HandoffLimit' });
    const { handoffs } = await snapshotOf(handle);
    expect(handoffs).toHaveLength(1);
    const [first, second] = [calls().slice(0, handoffs[0]!.afterCall), calls().slice(handoffs[0]!.afterCall)];
    const notices = first.flatMap(noticesIn);
    expect(notices.map((notice) => Number(/(\d+) of 10000 tokens/.exec(notice)?.[1]) <= 2_500)).toEqual(
      notices.map(() => true),
    );
    expect(notices.length).toBeGreaterThan(0);
    expect(notices.length).toBeLessThanOrEqual(2);
    expect(notices[0]).toContain('are left for this conversation');
    expect(notices[0]).toContain('before you have to hand off');
    // The new conversation has no further handoff, so it would be stopped.
    expect(second.flatMap(noticesIn)[0]).toContain('you are stopped without an answer');
  });

  test('is told again after an operator has added to its budget, and a reset repeats nothing', async () => {
    const script: Script = (call) => (call.turn < 14 ? endless(call) : say('Done.'));
    const { handle, calls } = await start([script], { budget: { turns: 8 }, onFailure: 'hold' });
    const agent = operated(harness.client, handle.workflowId);
    const incident = await agent.incident();
    expect(calls().map((call) => noticesIn(call).length)).toEqual([0, 0, 0, 0, 0, 0, 1, 0]);
    await agent.decide({ incident: incident.id, action: 'amend', amendment: { budget: { turns: 8 } } });
    expect(await handle.result()).toMatchObject({ turns: 15 });
    const told = calls().map((call) => noticesIn(call));
    expect(told.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0]);
    expect(told[12]).toEqual([expect.stringContaining('budget: 4 of 16 turns are left')]);
    expect(totalTokens((await snapshotOf(handle)).usage)).toBeGreaterThan(0);
    const { events } = await handle.fetchHistory();
    const tasks = events!.filter((event) => event.workflowTaskCompletedEventAttributes);
    const run = { workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
    const made = calls().length;
    const again = await reset(harness.client, run, tasks.at(-4)!.eventId);
    expect(await harness.client.workflow.getHandle(handle.workflowId, again).result()).toMatchObject({ turns: 15 });
    expect(calls()).toHaveLength(made);
  });
});
