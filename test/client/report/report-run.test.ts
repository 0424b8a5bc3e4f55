import { reportPage } from '../../../cli/report/page';
import { agentTree, gatherReport, diagnose } from '../../../client';
import { runIdOf } from '../../../domain/kernel';
import { scriptByTurn, refuse, say, useTool } from '../../../testing/scripted-model';
import { hostile } from '../../cli/support/report-model';
import { dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

describe('a real run', () => {
  let harness: Harness;
  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  test('is reported with its agents, turns, prompts and answer, and model output stays text', async () => {
    const root = scriptByTurn(
      useTool('dispatch_subagent', dispatch({ instructions: `Look. ${hostile}` })),
      say(hostile),
    );
    const { handle } = await play([root, scriptByTurn(useTool('add_note', { text: hostile }), say('Done.'))]);
    await handle.result();
    const runId = runIdOf(handle.workflowId) ?? '';
    const model = await gatherReport(harness.client, runId, () => Promise.resolve(harness.store.forRun(runId)));
    expect(model).toMatchObject({ runId, status: 'completed', answer: hostile, gaps: [] });
    expect(model.agents.map(({ status, turns, depth }) => [status, turns, depth])).toEqual([
      ['completed', 2, 0],
      ['completed', 2, 1],
    ]);
    const [top, child] = model.agents;
    expect(child!.prompt!.parent!.text).toBe(top!.prompt!.before);
    expect(child!.prompt!.before + child!.prompt!.after).toContain(hostile);
    expect(child!.tools).toEqual({ add_note: 1 });
    expect(reportPage(model)).not.toContain('<script');
    // The server's search index lags behind.
    const tree = await until(async () => {
      const found = await agentTree(harness.client, handle.workflowId);
      return found.children[0]?.status === 'completed' ? found : undefined;
    });
    expect(tree).toMatchObject({ status: 'completed', own: { turns: 2 }, children: [{ status: 'completed' }] });
  });

  test('that failed is reported with the reason', async () => {
    const { handle } = await play([() => refuse()]);
    await expect(handle.result()).rejects.toThrow();
    expect(await diagnose(harness.client, handle.workflowId)).toMatchObject({
      verdict: 'failed',
      type: 'Model.Refused',
      path: [handle.workflowId],
    });
  });
});
