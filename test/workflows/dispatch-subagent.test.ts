import { defaultLimits } from '../../domain/agent/settings';
import { inTurns, say, useTool, useTools, type Script, type ScriptedCall } from '../../scripted-model';
import { byDepth, dispatch } from '../support/delegation-script';
import { Harness, type RunHandle, type RunWishes } from '../support/harness';

describe('dispatch_subagent', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const runWith = async (script: Script, wishes: RunWishes = {}): Promise<RunHandle> => {
    harness.model.setScript(script);
    return harness.startRun(wishes);
  };

  test('runs a child that is told its task inside the whole prompt of its parent, and returns only its summary', async () => {
    const asked: ScriptedCall[] = [];
    const handle = await runWith((call) => {
      asked.push(call);
      return byDepth(
        inTurns(useTool('dispatch_subagent', dispatch({ instructions: '  Count the stars.  ' })), say('The child counted.')),
        inTurns(useTool('list_files', {}), say('There are seven.')),
      )(call);
    });
    expect(await handle.result()).toMatchObject({ answer: { text: 'The child counted.' } });
    const [root, child, , rootAgain] = asked;
    expect(child?.systemText).toContain(`<!-- PARENT PROMPT START -->\n${root?.systemText ?? ''}\n<!-- PARENT PROMPT END -->`);
    expect(child?.systemText).toContain('### Task Summary\n\nCount the stars.\n');
    expect(rootAgain?.toolResults[0]).toMatchObject({ isError: false });
    const told = rootAgain?.toolResults[0]?.text ?? '';
    expect(told).toMatch(/^There are seven\.\n\n\{/);
    expect(JSON.parse(told.split('\n\n')[1]!)).toEqual({
      prompt_ns: 'baton',
      prompt_key: 'subagent',
      artifacts: [],
      tools_used: ['list_files'],
    });
  });
});
