import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import {
  scriptByTurn,
  say,
  useTool,
  type Answer,
  type Script,
  type ScriptedCall,
  type ScriptedReply,
} from '../../../testing/scripted-model';
import { depthOf } from '../../support/delegation-script';
import { handoffsBefore, isClosing, writeHandoff } from '../../support/handoffs';
import { Harness, type RunWishes } from '../../support/harness';
import { until } from '../../support/until';
import { treePlayer } from '../../support/tree-player';

const plan = '<plan><goal>Calm</goal></plan>';
const whole = `<response>${plan}</response>`;

function skill(name: string, output: SkillDefinition['output']): SkillDefinition {
  const tools = ['write_artifact', 'read_artifact'];
  const parsed = parseSkill({ name, description: 'Answers.', systemPrompt: 'Answer.', tools, output });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.skill;
}

const skills = [
  skill('lister', { json: { type: 'array', items: { type: 'string' } } }),
  skill('planner', { xml: { root: 'plan', fields: [{ name: 'goal' }] } }),
];

describe('strict output', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { skills });
  });
  afterAll(() => harness.close());
  const { play, told, childrenOf } = treePlayer(() => harness, 'dispatch_skill');

  const use = (name: string): Answer => useTool('dispatch_skill', { skill: name, input: { goal: 'Help.' } });
  async function dispatched(name: string, replies: readonly ScriptedReply[], wishes: RunWishes = {}) {
    const { handle, asked } = await play([scriptByTurn(use(name), say('done')), scriptByTurn(...replies)], wishes);
    const below = (): ScriptedCall[] => asked.filter((call) => depthOf(call) === 1);
    return { handle, asked, below };
  }

  test('a valid answer reaches the parent without its response element', async () => {
    const { handle, asked, below } = await dispatched('planner', [say(`${whole} Anything else?`)]);
    const { delegatedUsage } = await handle.result();
    expect(told(asked)).toMatchObject({ isError: false, text: expect.stringMatching(`^${plan}\n\n`) as unknown });
    expect(below()).toHaveLength(1);
    // What follows is not even generated.
    expect(below()[0]?.request.stop_sequences).toEqual(['</response>']);
    expect(delegatedUsage.output).toBeLessThanOrEqual(Math.ceil(whole.length / 4));
  });

  test.each([
    ['planner', `Here it is: ${whole}`, /^the message: it begins with "Here it is:/m, whole, plan],
    ['planner', '<response><plan></plan></response>', /<goal> is missing/, whole, plan],
    ['lister', 'So:\n```json\n["a"]\n```', /it begins with "So:/, '```json\n[ "a" ]\n```', '["a"]'],
    ['lister', '["a"] as you wished', /is not valid JSON/, '["a"]', '["a"]'],
  ])('one turn for a repair: the %s sees the violation in %j', async (name, wrong, violation, right, result) => {
    const { handle, asked, below } = await dispatched(name, [say(wrong), say(right)]);
    await handle.result();
    expect(below()).toHaveLength(2);
    expect(below()[1]?.lastUserText).toMatch(violation);
    expect(below()[1]?.lastUserText).toMatch(/^Your final message does not have the required form/);
    expect(told(asked)).toMatchObject({ isError: false });
    expect(told(asked).text.split('\n\n')[0]).toBe(result);
  });

  test.each([
    ['planner', say('Done!')],
    ['lister', say('{"a": 1}')],
  ])('a %s that repeats its mistake fails, and the parent continues', async (name, wrong) => {
    const { handle, asked, below } = await dispatched(name, [wrong, wrong]);
    const { turns } = await handle.result();
    expect(turns).toBe(2);
    expect(below()).toHaveLength(2);
    expect(told(asked)).toEqual({
      isError: true,
      toolUseId: expect.any(String) as unknown,
      text: expect.stringMatching(
        /^DispatchSubagentError: the subagent run was aborted \(Output\.Invalid: /,
      ) as unknown,
    });
  });

  test('an operator can give it one more turn', async () => {
    const wrong = say('Done!');
    const { handle, asked, below } = await dispatched('planner', [wrong, wrong, say(whole)], { onFailure: 'hold' });
    const child = harness.client.workflow.getHandle(
      await until(async () => (await childrenOf(handle)).find((id) => id !== '')),
    );
    const incident = await until(async () => {
      const { incidents } = await child.query<{ incidents: { id: string; type: string; step: string }[] }>('snapshot');
      return incidents[0];
    });
    expect(incident).toMatchObject({ type: 'Output.Invalid', step: 'final message' });
    await child.executeUpdate('operatorDecision', { args: [{ incident: incident.id, action: 'retry' }] });
    await handle.result();
    expect(below()).toHaveLength(3);
    expect(told(asked)).toMatchObject({ isError: false });
  });

  test('a handoff has its own format, and the new conversation answers in the required one', async () => {
    const script: Script = (call) => {
      if (isClosing(call)) return writeHandoff(call);
      return handoffsBefore(call) > 0 ? say(whole) : say('Done!', { usage: { input_tokens: 150_000 } });
    };
    const { handle, asked } = await play([scriptByTurn(use('planner'), say('done')), script]);
    await handle.result();
    const [, wrong, closing, fresh] = asked;
    expect(wrong?.request.stop_sequences).toEqual(['</response>']);
    expect(closing?.request.stop_sequences).toBeUndefined();
    // The handoff call contains the violation of the answer.
    expect(closing?.lastUserText).toContain('it begins with "Done!"');
    expect(fresh?.request.stop_sequences).toEqual(['</response>']);
    expect(told(asked)).toMatchObject({ isError: false, text: expect.stringContaining(plan) as unknown });
  });

  test('a tool call that contains the stop sequence is requested again, and runs completely', async () => {
    const write = useTool('write_artifact', { name: 'NOTE.md', content: `Answer with ${whole}.` });
    const read = useTool('read_artifact', { name: 'NOTE.md' });
    const { handle, asked, below } = await dispatched('planner', [write, read, say(whole)]);
    await handle.result();
    expect(below().map(({ request }) => request.stop_sequences !== undefined)).toEqual([true, false, true, true]);
    expect(below().at(-1)?.toolExchanges[1]?.result?.text).toContain(`Answer with ${whole}.`);
    expect(told(asked)).toMatchObject({ isError: false });
  });
});
