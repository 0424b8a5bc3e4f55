import { defaultLimits } from '../../../domain/agent';
import { definePrompt } from '../../../domain/prompt';
import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import { say, type ScriptedCall, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { z } from 'zod';
import { batch, childrenOf } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { playRelay, relayNamed } from '../../support/relays';
import { treePlayer } from '../../support/tree-player';

/** A prompt needs at most 0.9 × 0.6 × 30,000 = 16,200 tokens. The scripted model counts four bytes per token. */
const model = { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 30_000 };
/** For replies that are long themselves. */
const talkative = { ...model, maxTokens: 20_000, window: 200_000 };
const text = (bytes: number): string => 'A long rule. '.repeat(Math.ceil(bytes / 13));

const promptOf = (key: string, bytes: number) =>
  definePrompt({
    ns: 'acme',
    key,
    description: 'Has many rules.',
    parameters: z.object({}),
    sections: [{ key: 'rules', title: 'Rules', template: text(bytes) }],
  }).definition;

function skillOf(name: string, bytes: number): SkillDefinition {
  const parsed = parseSkill({ name, description: 'Has many rules.', systemPrompt: text(bytes), tools: ['add_note'] });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.skill;
}

describe('a delegation whose prompt and tools leave no room to work is not started', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), {
      prompts: [promptOf('huge', 70_000), promptOf('tight', 35_000)],
      skills: [skillOf('huge', 70_000)],
    });
  });
  afterAll(() => harness.close());

  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  const delegationsOf = async (workflowId: string): Promise<string[]> => {
    const children = await childrenOf(harness.client, workflowId);
    return children.filter(({ type }) => type === 'delegationWorkflow').map((child) => child.workflowId);
  };
  const resultsIn = (asked: readonly ScriptedCall[]): readonly { text: string; isError: boolean }[] =>
    asked.filter((call) => depthOf(call) === 0).at(-1)?.toolResults ?? [];

  test.each([
    [
      'dispatch_subagent',
      dispatch({ prompt_ns: 'acme', prompt_key: 'huge' }),
      /^ToolValidationError \(Prompt\.TooLarge\): prompt_key: prompt and tools have (\d+) tokens, (\d+) more than the 16200 that leave room to work below the handoff threshold of 18000\. The largest part is the dispatched prompt \(7\d{4} bytes, about 2\d{4} tokens\)\. .* Nothing was started\. \[delegation_id [0-9a-z]{26}\]$/,
    ],
    [
      'dispatch_skill',
      { skill: 'huge', input: { goal: 'Help.' } },
      /^ToolValidationError \(Prompt\.TooLarge\): skill: prompt and tools have (\d+) tokens, (\d+) more than the 16200 that leave .* \[delegation_id [0-9a-z]{26}\]$/,
    ],
  ])('%s: the model is told by how much and which part is largest, and nothing is paid', async (tool, input, told) => {
    const { handle, asked } = await play([scriptByTurn(useTool(tool, input), say('I see.'))], { model });
    expect(await handle.result()).toMatchObject({
      answer: { text: 'I see.' },
      delegatedUsage: { input: 0, output: 0 },
    });
    const [result] = resultsIn(asked);
    expect(result).toMatchObject({ isError: true });
    const [, tokens, excess] = told.exec(result!.text) ?? [];
    expect(result!.text).toMatch(told);
    expect(Number(tokens) - Number(excess)).toBe(16_200);
    expect(await delegationsOf(handle.workflowId)).toEqual([]);
    expect(asked.every((call) => depthOf(call) === 0)).toBe(true);
  });

  test('dispatch_subagents: an item over maxPromptBytes is refused, and its sibling runs', async () => {
    const { delegations } = batch(['Small.', 'Large.']) as { delegations: Record<string, unknown>[] };
    const large = { ...delegations[1], recap_lines: ['Do it.', text(30_000)] };
    const call = useTool('dispatch_subagents', { delegations: [delegations[0], large] });
    const limits = { ...defaultLimits, maxPromptBytes: 30_000 };
    const { handle, asked } = await play([scriptByTurn(call, say('done')), () => say('Fine.')], {
      limits,
      model: talkative,
    });
    await handle.result();
    expect(await delegationsOf(handle.workflowId)).toHaveLength(1);
    const [result] = resultsIn(asked);
    expect(result?.text).toMatch(
      /Prompt\.TooLarge: delegations\[1\]\.recap_lines: the prompt has \d+ bytes, \d+ more than the 30000 bytes that limits\.maxPromptBytes allows\. The largest part is the recap \(30\d{3} bytes/,
    );
    expect(result?.text).toContain('1 succeeded, 1 failed');
    expect(asked.filter((one) => depthOf(one) === 1)).toHaveLength(1);
  });

  test('dispatch_subagents below a prompt that fits: every item is refused when the wrapper no longer does', async () => {
    const limits = { ...defaultLimits, maxPromptBytes: 60_000 };
    const { handle, asked } = await play(
      [
        scriptByTurn(useTool('dispatch_subagent', dispatch({ prompt_ns: 'acme', prompt_key: 'tight' })), say('done')),
        scriptByTurn(
          useTool('dispatch_subagents', batch(['One.', 'Two.'], { recap_lines: [text(20_000)] })),
          say('I see.'),
        ),
      ],
      { limits, model: talkative },
    );
    await handle.result();
    const child = asked.filter((call) => depthOf(call) === 1).at(-1);
    const told = child?.toolResults[0]?.text ?? '';
    expect(told).toContain('All 2 delegations failed.');
    expect(
      told.match(/Prompt\.TooLarge: parent prompt: the prompt has \d+ bytes, .* do the work yourself/g),
    ).toHaveLength(2);
    expect(await delegationsOf((await delegationsOf(handle.workflowId))[0]!)).toEqual([]);
  });

  test('a step of a relay: the relay fails before the step starts', async () => {
    const steps = [{ name: 'work', skill: 'huge', input: { goal: '$goal' } }];
    const handle = await playRelay(harness, relayNamed('big', steps), { model });
    await expect(handle.result()).rejects.toMatchObject({
      cause: {
        type: 'Relay.Failed',
        message: expect.stringContaining('(Prompt.TooLarge): skill: prompt and tools have') as unknown,
      },
    });
    expect(await delegationsOf(handle.workflowId)).toEqual([]);
  });

  test('one that fits by the count of the provider starts, although the upper bound is too high', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(useTool('dispatch_subagent', dispatch({ prompt_ns: 'acme', prompt_key: 'tight' })), say('done')),
        () => say('Fine.'),
      ],
      { model },
    );
    await handle.result();
    const child = asked.find((call) => depthOf(call) === 1);
    const { system, tools } = child!.request;
    const bytes = Buffer.byteLength(JSON.stringify([system, tools]));
    expect(bytes / 3).toBeGreaterThan(16_200);
    expect(bytes / 4).toBeLessThan(16_200);
  });
});
