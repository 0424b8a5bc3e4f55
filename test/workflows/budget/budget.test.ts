import type { StatusSnapshot } from '../../../domain/agent';
import { runIdOf } from '../../../domain/kernel';
import { addUsage, costOf, noUsage, totalTokens } from '../../../domain/model';
import {
  hang,
  say,
  type Script,
  scriptByTurn,
  type ScriptedCall,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { batch, delegationsOf, toldRoot } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { failureOf } from '../../support/failures';
import { Harness, type RunHandle } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

const name = 'claude-sonnet-5-5';
const maxTokens = 1_000;
const noTurnLeft = 'Budget.Exceeded: The next step was not started: it could take up to 1 turn';
const endless: Script = ({ turn }) => useTool('add_note', { text: `note ${turn}` });

describe('the budget of a run', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());
  const { play, told } = treePlayer(() => harness, 'dispatch_subagent');
  const snapshotOf = ({ workflowId }: RunHandle): Promise<StatusSnapshot> =>
    harness.client.workflow.getHandle(workflowId).query<StatusSnapshot>('snapshot');
  const below = (asked: readonly ScriptedCall[]): ScriptedCall[] => asked.filter((call) => depthOf(call) === 1);

  test('in tokens: a call that could take more than is left is not made', async () => {
    const budget = { tokens: 30_000 };
    const { handle, asked } = await play([endless], { budget });
    const failed = await failureOf(handle);
    expect(failed).toMatchObject({
      type: 'Budget.Exceeded',
      message: expect.stringMatching(
        /could take up to \d+ tokens, but only \d+ tokens of the budget are left/,
      ) as unknown,
    });
    const { turn, spent, usage, occupancy } = await snapshotOf(handle);
    expect(spent).toMatchObject({ turns: turn, usage });
    expect(asked).toHaveLength(turn);
    expect(turn).toBeGreaterThan(2);
    expect(totalTokens(usage)).toBeLessThanOrEqual(budget.tokens);
    // The run does not stop much earlier either: tokens were counted when the estimate was close.
    expect(budget.tokens - totalTokens(usage)).toBeLessThan(occupancy + maxTokens + 500);
  });

  test('in turns: no further turn is taken', async () => {
    const { handle, asked } = await play([endless], { budget: { turns: 3 } });
    expect(await failureOf(handle)).toMatchObject({
      type: 'Budget.Exceeded',
      message: expect.stringContaining('could take up to 1 turn, but only 0 turns of the budget are left') as unknown,
      details: [expect.objectContaining({ turns: 3 })],
    });
    expect(asked).toHaveLength(3);
  });

  test('in dollars, by the prices that the run was given', async () => {
    const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 };
    const budget = { microUsd: 40_000 };
    const before = harness.model.calls.length;
    const { handle, asked } = await play([endless], { budget, prices: { [name]: price } });
    expect(await failureOf(handle)).toMatchObject({
      type: 'Budget.Exceeded',
      message: expect.stringMatching(/could cost up to \$0\.\d+, but only \$0\.\d+ of the budget is left/) as unknown,
    });
    const { spent, occupancy } = await snapshotOf(handle);
    const costs = harness.model.calls.slice(before).map(({ usage }) =>
      costOf(price, {
        input: usage!.input_tokens,
        cacheRead: usage!.cache_read_input_tokens,
        cacheWrite: usage!.cache_creation_input_tokens,
        output: usage!.output_tokens,
      }),
    );
    expect(spent.microUsd).toBe(costs.reduce((sum, cost) => sum + cost, 0));
    // Less is left than one more call could cost if all of it were written to the provider's cache.
    const dearest = { ...noUsage, cacheWrite: occupancy + 500, output: maxTokens };
    expect(budget.microUsd - spent.microUsd).toBeLessThan(costOf(price, dearest));
    expect(spent.microUsd).toBeLessThanOrEqual(budget.microUsd);
    expect(asked.length).toBeGreaterThan(2);
  });

  test('in dollars: a model with an unknown price is not called', async () => {
    const model = { name: 'home-made', maxTokens, window: 200_000 };
    const { handle, asked } = await play([endless], { budget: { microUsd: 100_000 }, model });
    expect(await failureOf(handle)).toMatchObject({
      type: 'Budget.Exceeded',
      message: expect.stringContaining('the price of "home-made" is unknown') as unknown,
    });
    expect(asked).toEqual([]);
  });

  test('is shared by a batch: delegations that it cannot pay for are not started, and reported', async () => {
    const reasons = Array.from({ length: 8 }, (_, index) => `job ${index}`);
    // One call of the root before, and two reserved for it: five are left for eight.
    const { handle, asked } = await play(
      [scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('done')), scriptByTurn(say('found'))],
      { budget: { turns: 8 } },
    );
    await handle.result();
    expect(below(asked)).toHaveLength(5);
    expect(toldRoot(asked).text.match(new RegExp(noTurnLeft, 'g'))).toHaveLength(3);
    expect(toldRoot(asked).text.match(/found/g)).toHaveLength(5);
    expect(await snapshotOf(handle)).toMatchObject({ budget: { turns: 8 }, spent: { turns: 2 } });
  });

  test('is divided between delegations of one turn, each of which ends within its share', async () => {
    const both = useTools([
      { name: 'dispatch_subagent', input: dispatch({ instructions: 'One.' }) },
      { name: 'dispatch_subagent', input: dispatch({ instructions: 'Other.' }) },
    ]);
    const { handle, asked } = await play([scriptByTurn(both, say('done')), endless], { budget: { turns: 9 } });
    await handle.result();
    const ofOne = below(asked).filter(({ systemText }) => systemText.includes('One.'));
    expect([ofOne.length, below(asked).length]).toEqual([3, 6]);
    expect(told(asked)).toMatchObject({
      isError: true,
      text: expect.stringContaining(`aborted (${noTurnLeft}`) as unknown,
    });
  });

  test('is returned as far as a delegation did not use it, and what it used is counted', async () => {
    const use = (instructions: string) => useTool('dispatch_subagent', dispatch({ instructions }));
    const root = scriptByTurn(use('One.'), use('Two.'), use('Three.'), use('Four.'), say('done'));
    // Each of the first three gets more than half of everything.
    const { handle, asked } = await play([root, scriptByTurn(say('found'))], {
      budget: { turns: 12, tokens: 400_000 },
    });
    const { usage, delegatedUsage, turns } = await handle.result();
    expect([turns, below(asked).length]).toEqual([5, 4]);
    const { spent, budget, delegatedUsage: shown } = await snapshotOf(handle);
    expect(budget).toEqual({ turns: 12, tokens: 400_000 });
    expect(spent).toMatchObject({ turns: 5, usage });
    expect(shown).toEqual(delegatedUsage);
    const all = harness.model.calls.slice(-asked.length).map(({ usage: one }) => Object.values({ ...one }));
    expect(totalTokens(addUsage(usage, delegatedUsage))).toBe(all.flat().reduce((sum, tokens) => sum + tokens, 0));
  });

  test('in time: at the deadline the run fails, and nothing below it continues', async () => {
    const deadline = new Date(Date.now() + 8_000).toISOString();
    const { handle, asked } = await play(
      [scriptByTurn(useTool('dispatch_subagents', batch(['one', 'other'])), say('done')), () => hang()],
      { deadline },
    );
    const children = await delegationsOf(harness.client, handle, 2);
    await until(() => (below(asked).length === 2 ? true : undefined));
    expect(await failureOf(handle)).toMatchObject({
      type: 'Budget.Exceeded',
      message: expect.stringContaining(deadline) as unknown,
    });
    const query = `BatonRun = '${runIdOf(handle.workflowId)}' AND ExecutionStatus = 'Running'`;
    for (const { workflowId } of children) {
      const { status } = await harness.client.workflow.getHandle(workflowId).describe();
      expect(status.name).not.toBe('RUNNING');
    }
    await until(async () => ((await harness.client.workflow.count(query)).count === 0 ? true : undefined));
  });

  test('can be raised by an operator, if the run waits for operators', async () => {
    const script: Script = (call) => (call.turn < 4 ? endless(call) : say('done'));
    const { handle, asked } = await play([script], { budget: { turns: 2 }, onFailure: 'hold' });
    const incident = await until(async () => (await snapshotOf(handle)).incidents[0]);
    expect(incident).toMatchObject({ type: 'Budget.Exceeded', step: 'turn 3' });
    expect(asked).toHaveLength(2);
    const amendment = { budget: { turns: 3 } };
    await handle.executeUpdate('operatorDecision', { args: [{ incident: incident.id, action: 'amend', amendment }] });
    expect(await handle.result()).toMatchObject({ turns: 5 });
    expect(await snapshotOf(handle)).toMatchObject({ budget: { turns: 5 }, spent: { turns: 5 } });
  });
});
