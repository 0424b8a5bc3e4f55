import type { AgentFiles, StatusSnapshot } from '../../../domain/agent';
import { say, type Script, scriptByTurn, type ScriptedCall, useTool, useTools } from '../../../testing/scripted-model';
import { batch, planOf, reasonOf, toldRoot } from '../../support/batches';
import { dispatch } from '../../support/delegation-script';
import { handingOver, handoffsBefore, lookUp } from '../../support/handoffs';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';

const wishes = { model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 20_000 } };

/**
 * Writes an artifact, reads until its context window is full and, after the handoff, writes another one and answers.
 */
const longWork = (jobOf: (call: ScriptedCall) => string): Script =>
  handingOver((call) => {
    const job = jobOf(call);
    const fresh = handoffsBefore(call) > 0;
    if (call.turn === 0) {
      return useTools([
        { name: 'add_plan_steps', input: { steps: [`${job} ${fresh ? 2 : 1}`] } },
        { name: 'write_artifact', input: { name: `${job}-${fresh ? 2 : 1}.md`, content: job } },
      ]);
    }
    return fresh ? say(`found ${job}`) : useTool('look_up', { seed: call.turn, bytes: 8_000 });
  });

describe('a delegation that hands off in the middle of its work', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [lookUp] });
  });
  afterAll(() => harness.close());
  const { play, told, childrenOf } = treePlayer(() => harness, 'dispatch_subagent');
  const query = <Answer>(workflowId: string, name: string): Promise<Answer> =>
    harness.client.workflow.getHandle(workflowId).query<Answer>(name);
  const artifactsOf = async (workflowId: string): Promise<string[]> =>
    (await query<AgentFiles>(workflowId, 'files')).artifacts.map(({ name }) => name);

  test('returns its result to its parent, with all its artifacts except the handoff', async () => {
    const use = useTool('dispatch_subagent', dispatch({ expected_artifacts: ['job-1.md', 'job-2.md'] }));
    const { handle, asked } = await play([scriptByTurn(use, say('done')), longWork(() => 'job')], wishes);
    const { delegatedUsage } = await handle.result();
    expect(told(asked).isError).toBe(false);
    const [summary, payload] = told(asked).text.split('\n\n');
    expect(summary).toBe('found job');
    expect(JSON.parse(payload!)).toMatchObject({ artifacts: ['job-1.md', 'job-2.md'] });
    expect(await artifactsOf(handle.workflowId)).toEqual(['job-1.md', 'job-2.md']);

    const [child = ''] = await childrenOf(handle);
    expect(await query<StatusSnapshot>(child, 'snapshot')).toMatchObject({
      handoffs: [expect.objectContaining({ artifact: 'HANDOFF.md' })],
      // Tools of both conversations together.
      usage: delegatedUsage,
    });
    expect(await artifactsOf(child)).toEqual(['job-1.md', 'HANDOFF.md', 'job-2.md']);
  });

  test('continues in the same shared session, alongside others that do the same', async () => {
    const use = useTool('dispatch_subagents', batch(['one', 'other']));
    const { handle, asked } = await play([scriptByTurn(use, say('done')), longWork(reasonOf)], wishes);
    await handle.result();
    expect(toldRoot(asked)).toMatchObject({ isError: false });
    expect(toldRoot(asked).text).toMatch(/found one[^]*found other/);
    expect(await planOf(harness.client, handle.workflowId)).toEqual(['one 1', 'one 2', 'other 1', 'other 2']);

    const ids = (await childrenOf(handle)).map((id) => id.slice(id.lastIndexOf('/') + 1));
    const artifacts = await artifactsOf(handle.workflowId);
    const handoffs = artifacts.filter((name) => name.includes('HANDOFF'));
    expect(handoffs).toHaveLength(2);
    expect(handoffs.every((name) => ids.includes(name.replace('/HANDOFF.md', '')))).toBe(true);
    expect(artifacts.filter((name) => !name.includes('HANDOFF')).sort()).toEqual(
      ['one-1.md', 'one-2.md', 'other-1.md', 'other-2.md'].sort(),
    );
  });
});
