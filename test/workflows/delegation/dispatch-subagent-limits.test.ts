import { defaultLimits } from '../../../domain/agent';
import { scriptByTurn, refuse, say, useTool, useTools } from '../../../testing/scripted-model';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';

describe('dispatch_subagent, with errors and limits', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const { play, told, childrenOf } = treePlayer(() => harness, 'dispatch_subagent');

  describe('failure reporting', () => {
    test.each([
      ['an unknown prompt', { prompt_key: 'nobody' }, /prompt_key.*nobody|nobody/],
      ['instructions that are not ASCII', { instructions: 'Zähle die Sterne' }, /instructions: must be ASCII/],
      ['empty instructions', { instructions: '   ' }, /instructions: must not be empty/],
      ['instructions that are too long', { instructions: 'x'.repeat(2_001) }, /instructions: must have at most 2000/],
      [
        'an artifact name that is too long',
        { expected_artifacts: ['x'.repeat(161)] },
        /expected_artifacts\[0\]: must have/,
      ],
      [
        'an output nobody could deliver',
        { expected_artifacts: ['/workspace/report.md'] },
        /expected_artifacts\[0\]: .*relative/,
      ],
      ['a plan step without its id', { mode: 'plan_step', plan_step_id: null }, /plan_step_id: is required/],
      ['an unknown plan step', { mode: 'plan_step', plan_step_id: 'S009' }, /no step "S009"/],
      ['an unknown mode', { mode: 'later' }, /mode/],
      ['another snapshot version', { snapshot_version: '0.old' }, /snapshot_version: the current version is/],
      ['an unknown field', { priority: 'high' }, /priority/],
    ])('%s is reported to the model, and nothing is started', async (_, parameters, complaint) => {
      const { handle, asked } = await play([
        scriptByTurn(useTool('dispatch_subagent', dispatch(parameters)), say('I see.')),
        () => say('must not happen'),
      ]);
      expect(await handle.result()).toMatchObject({ answer: { text: 'I see.' } });
      expect(told(asked)).toMatchObject({ isError: true });
      expect(told(asked).text).toMatch(/^ToolValidationError/);
      expect(told(asked).text).toMatch(complaint);
      expect(told(asked).text).toMatch(/delegation_id [0-9a-z]{26}/);
      expect(await childrenOf(handle)).toEqual([]);
    });

    test('a failed child is reported in a sentence, and the run continues', async () => {
      const { handle, asked } = await play([
        scriptByTurn(useTool('dispatch_subagent', dispatch()), say('I will do it myself.')),
        () => refuse(),
      ]);
      expect(await handle.result()).toMatchObject({ answer: { text: 'I will do it myself.' } });
      expect(told(asked)).toMatchObject({ isError: true });
      expect(told(asked).text).toMatch(/^DispatchSubagentError: .*Model\.Refused/);
      const [child] = await childrenOf(handle);
      expect((await harness.client.workflow.getHandle(child!).describe()).status.name).toBe('FAILED');
    });
  });

  test('delegates down to the depth limit, and tells the last level that it may not delegate', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(useTool('dispatch_subagent', dispatch({ instructions: 'Level one.' })), say('root done')),
        scriptByTurn(useTool('dispatch_subagent', dispatch({ instructions: 'Level two.' })), say('one done')),
        scriptByTurn(useTool('dispatch_subagent', dispatch({ instructions: 'Level three.' })), say('two done')),
      ],
      { limits: { ...defaultLimits, maxDepth: 2 } },
    );
    expect(await handle.result()).toMatchObject({ answer: { text: 'root done' } });
    const last = asked.filter((call) => depthOf(call) === 2);
    expect(last[0]?.systemText).toContain('**May delegate further?** – no');
    expect(last[0]?.request.tools?.map((tool) => 'name' in tool && tool.name)).not.toContain('dispatch_subagent');
    expect(last[1]?.toolResults[0]).toMatchObject({ isError: true });
    expect(last[1]?.toolResults[0]?.text).toContain('"**May delegate further?** – no"');
    const one = (await childrenOf(handle))[0]!;
    expect(one).toMatch(new RegExp(`^${handle.workflowId}/[0-9a-z]{26}$`));
  });

  test('stops at the maximum number of delegations of an agent', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTools(
            [1, 2, 3].map((n) => ({ name: 'dispatch_subagent', input: dispatch({ instructions: `Task ${n}.` }) })),
          ),
          say('done'),
        ),
        () => say('Fine.'),
      ],
      { limits: { ...defaultLimits, maxChildren: 2 } },
    );
    await handle.result();
    expect(asked.at(-1)?.toolResults.map(({ isError }) => isError)).toEqual([false, false, true]);
    expect(asked.at(-1)?.toolResults[2]?.text).toContain('all of its 2 delegations');
  });
});
