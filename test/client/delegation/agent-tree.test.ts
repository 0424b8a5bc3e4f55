import { drawTree, collapseTree, visibleNodes } from '../../../cli/delegation/draw-tree';
import { agentTree, type AgentTree, diagnose } from '../../../client';
import { agentExecutions, byRequest, descendantsQuery } from '../../../client/agent/find-agent';
import { DetailsReader, readTree } from '../../../client/delegation/read-tree';
import { totalTokens } from '../../../domain/model';
import { refuse, say, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
import { dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

describe('usage and cost of agents that have ended', () => {
  let harness: Harness;
  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  /** The server's search index lags behind. */
  async function endedTree(workflowId: string, children: number): Promise<AgentTree> {
    return until(async () => {
      const tree = await agentTree(harness.client, workflowId);
      return tree.children.filter(({ closedAt }) => closedAt !== null).length === children ? tree : undefined;
    });
  }

  async function drawn(workflowId: string): Promise<string> {
    const shown = collapseTree(await readTree(harness.client, workflowId));
    return drawTree(shown, await new DetailsReader(harness.client).read(visibleNodes(shown)));
  }

  test('are shown for a failed delegation and for the completed root, which includes it', async () => {
    const root = scriptByTurn(useTool('dispatch_subagent', dispatch({})), say('It refused.'));
    const { handle } = await play([root, () => refuse()]);
    const result = await handle.result();
    const tree = await endedTree(handle.workflowId, 1);
    const [child] = tree.children;
    expect(tree).toMatchObject({ status: 'completed', own: { turns: 2 }, withDelegations: result.withDelegations });
    expect(child).toMatchObject({ status: 'failed', own: { turns: 1 }, failure: { type: 'Model.Refused' } });
    expect(child!.own.usage).toEqual(result.delegatedUsage);
    expect(child!.own.microUsd).toBeGreaterThan(0);
    expect(tree.withDelegations.microUsd).toBe(tree.own.microUsd! + child!.own.microUsd!);
    const [rootLine, childLine] = (await drawn(handle.workflowId)).split('\n');
    expect(rootLine).toMatch(
      /completed · own 2 turns, [\d.]+k? tokens, \$0\.\d+ · with delegations 3 turns, [\d.]+k? tokens, \$0\.\d+/,
    );
    expect(childLine).toMatch(/failed · 1 turn · [\d.]+k? tokens · \$0\.\d+ · Model\.Refused/);
  });

  test('are listed in the order in which the delegations were requested', async () => {
    const tasks = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => `Do the ${name} thing.`);
    const calls = tasks.map((instructions) => ({ name: 'dispatch_subagent', input: dispatch({ instructions }) }));
    const { handle } = await play([scriptByTurn(useTools(calls), say('All done.')), () => say('Done.')]);
    await handle.result();
    const tree = await endedTree(handle.workflowId, tasks.length);
    expect(tree.children.map(({ summary }) => /Do the \w+ thing\./.exec(summary)?.[0])).toEqual(tasks);
    // Also if the second one happens to start before the first.
    const [first, second] = await agentExecutions(harness.client, descendantsQuery(handle.workflowId));
    const late = { ...first!, ordinal: 0, startedAt: second!.startedAt + 1 };
    expect([{ ...second!, ordinal: 1 }, late].sort(byRequest).map(({ ordinal }) => ordinal)).toEqual([0, 1]);
  });

  test('are shown for a root that failed, with the reason', async () => {
    const { handle } = await play([() => refuse()]);
    await expect(handle.result()).rejects.toThrow();
    const tree = await endedTree(handle.workflowId, 0);
    expect(tree).toMatchObject({ status: 'failed', own: { turns: 1 }, failure: { type: 'Model.Refused' } });
    expect(totalTokens(tree.own.usage)).toBeGreaterThan(0);
    expect(tree.own.microUsd).toBeGreaterThan(0);
    expect(await drawn(handle.workflowId)).toMatch(/failed · 1 turn · [\d.]+k? tokens · \$0\.\d+ · Model\.Refused/);
    expect(await diagnose(harness.client, handle.workflowId)).toMatchObject({
      verdict: 'failed',
      type: 'Model.Refused',
      message: tree.failure?.message,
    });
  });
});
