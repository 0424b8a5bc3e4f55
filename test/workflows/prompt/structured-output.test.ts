import { z } from 'zod';
import { showCommand } from '../../../cli/agent/show';
import type { CliContext } from '../../../cli/context';
import type { DelegationResult } from '../../../domain/delegation';
import { definePrompt, type PromptDefinition } from '../../../domain/prompt';
import type { OutputFormat } from '../../../domain/prompt/output';
import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import { readSpilled } from '../../../store/blobs';
import { type Answer, say, scriptByTurn, type ScriptedCall, useTool } from '../../../testing/scripted-model';
import { batch, childrenOf, reasonOf } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { playRelay, relayNamed } from '../../support/relays';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

/** A schema that the provider enforces, and one that it does not support, so that the prompt has to describe it. */
const formats = {
  native: {
    json: {
      type: 'object',
      properties: { verdict: { type: 'string', enum: ['pass', 'fail'], description: 'Whether it may be merged.' } },
      required: ['verdict'],
      additionalProperties: false,
    },
  },
  fallback: { json: { type: 'array', items: { type: 'string' }, minItems: 1 } },
} as const satisfies Record<string, OutputFormat>;

function prompt(key: string, output: OutputFormat): PromptDefinition {
  const sections = [{ key: 'role', title: 'Stance', template: 'You judge.' }];
  return definePrompt({ ns: 'acme', key, description: 'Judges.', parameters: z.object({}), sections, output })
    .definition;
}

function skill(name: string, output?: OutputFormat | 'text'): SkillDefinition {
  const tools = ['write_artifact', 'dispatch_subagents'];
  const file = { name, description: 'Answers.', systemPrompt: 'Answer.', tools };
  const parsed = parseSkill(output === undefined ? file : { ...file, output });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.skill;
}

const plan: OutputFormat = { xml: { root: 'plan', fields: [{ name: 'goal' }, { name: 'step', repeated: true }] } };

const judge = (key: string): Answer => useTool('dispatch_subagent', dispatch({ prompt_ns: 'acme', prompt_key: key }));
const use = (name: string): Answer => useTool('dispatch_skill', { skill: name, input: { goal: 'Help.' } });
const spread = (...reasons: string[]): Answer => useTool('dispatch_subagents', batch(reasons));
/** Settings with which a long answer is not cut. */
const roomy = { name: 'claude-sonnet-5-5', maxTokens: 20_000, window: 200_000 };
const notJson = say('not json at all');
const verdict = '{"verdict":"pass"}';

describe('structured output', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), {
      prompts: [prompt('native', formats.native), prompt('fallback', formats.fallback)],
      skills: [skill('planner', plan), skill('judge', formats.native), skill('plain'), skill('free', 'text')],
    });
  });
  afterAll(() => harness.close());
  const { play, told } = treePlayer(() => harness, 'dispatch_subagent');

  const at = (asked: readonly ScriptedCall[], depth: number): ScriptedCall[] =>
    asked.filter((call) => depthOf(call) === depth);
  /** What the only child of the root left. */
  async function childOf({ workflowId, firstExecutionRunId }: RunHandle): Promise<string> {
    const [child] = await childrenOf(harness.client, workflowId, firstExecutionRunId);
    return child!.workflowId;
  }
  const resultOf = (id: string): Promise<DelegationResult> => harness.client.workflow.getHandle(id).result();
  async function valueOf(id: string): Promise<unknown> {
    const { value } = await resultOf(id);
    if (value === undefined) return undefined;
    const runId = id.split('/')[1] ?? '';
    return JSON.parse(await readSpilled(harness.store.forRun(runId), value, 'test'));
  }
  /** What `baton show --json` prints. */
  async function shown(id: string): Promise<unknown> {
    let printed: unknown;
    const { client, store } = harness;
    const context = {
      terminal: { printJson: (value: unknown) => (printed = value) },
      connect: () =>
        Promise.resolve({ client, namespace: 'default', uiUrl: undefined, close: () => Promise.resolve() }),
      openStore: () => Promise.resolve(store),
    } as unknown as CliContext;
    await showCommand(context).parseAsync([id, '--json'], { from: 'user' });
    return printed;
  }
  /** Whether a text contains another one, as it is or inside a JSON string. */
  const mentions = (text: string, part: string): boolean =>
    text.includes(part) || text.includes(JSON.stringify(part).slice(1, -1));

  test.each([
    ['native', { wrong: `Fine: ${verdict}`, violation: /not valid JSON/, right: verdict, value: { verdict: 'pass' } }],
    ['fallback', { wrong: '[]', violation: /^the message: .*1/m, right: '```json\n[ "a" ]\n```', value: ['a'] }],
  ])('a prompt’s schema reaches a child in six sections (%s), and its answer is repaired', async (key, row) => {
    const { wrong, violation, right, value } = row;
    const { handle, asked } = await play([scriptByTurn(judge(key), say('done')), scriptByTurn(say(wrong), say(right))]);
    await handle.result();
    const below = at(asked, 1);
    expect(below).toHaveLength(2);
    expect(below[1]?.lastUserText).toMatch(violation);
    // The schema is in the prompt, and in the request if the provider supports it.
    const reporting = below[0]!.systemText.split('## Reporting Requirements')[1]!;
    expect(reporting).toContain('Your final message must be exactly one JSON value that conforms to this JSON Schema');
    expect(reporting).toContain(key === 'native' ? '"Whether it may be merged."' : '"minItems": 1');
    for (const { request } of below) {
      const { properties } = formats.native.json;
      const format = { type: 'json_schema', schema: { properties: { verdict: { enum: properties.verdict.enum } } } };
      if (key === 'native') expect(request.output_config).toMatchObject({ format });
      else expect(request.output_config).toBeUndefined();
    }
    // The parsed value is part of the result, and the parent sees it.
    expect(await valueOf(await childOf(handle))).toEqual(value);
    expect(told(asked)).toMatchObject({ isError: false });
    expect(mentions(told(asked).text, JSON.stringify(value))).toBe(true);
  });

  test('a child whose second answer is wrong too is a failed delegation', async () => {
    const { handle, asked } = await play([scriptByTurn(judge('native'), say('done')), () => notJson]);
    await handle.result();
    expect(at(asked, 1)).toHaveLength(2);
    expect(told(asked)).toMatchObject({ isError: true, text: expect.stringMatching(/Output\.Invalid/) as unknown });
  });

  const wrapperOf = ({ systemText }: ScriptedCall): string => systemText.split('## Parent Prompt (Verbatim)')[0]!;

  test.each([
    ['native', judge('native'), say(verdict), verdict, say(verdict)],
    ['fallback', judge('fallback'), say('```json\n["a"]\n```'), '["a"]', say('["done"]')],
    ['native', use('judge'), say(verdict), verdict, say(verdict)],
  ])('batch children answer in the format of their parent (%s)', async (key, start, right, value, end) => {
    const { handle, asked } = await play([
      scriptByTurn(start, say('done')),
      scriptByTurn(spread('Right.', 'Wrong.'), end),
      (call) => (reasonOf(call) === 'Right.' ? right : notJson),
    ]);
    await handle.result();
    const below = at(asked, 2);
    expect(below.map(reasonOf).sort()).toEqual(['Right.', 'Wrong.', 'Wrong.']);
    for (const call of below) {
      const { output_config: sent } = call.request;
      expect(sent?.format?.type).toBe(key === 'native' ? 'json_schema' : undefined);
      if (key === 'native') expect(wrapperOf(call)).not.toContain('Response Format');
      else
        expect(wrapperOf(call)).toMatch(
          /\n## Response Format\nReturn ONLY a single fenced JSON code block\. Do not include any text before or after the block\.\n\nThe top-level JSON value MUST be an array that matches the fields of the expected schema\.\n\n- `\[\]` – String\.\n- The top-level value: Array, at least 1 item\.\n\n$/,
        );
    }
    const results = at(asked, 1).at(-1)?.toolExchanges[0]?.result?.text ?? '';
    expect(results).toMatch(/^2 delegations: 1 succeeded, 1 failed\./);
    expect(mentions(results, value)).toBe(true);
    expect(results).toContain('Output.Invalid');
  });

  test('batch children of a skill that answers in XML do so too, and their values are passed on as JSON', async () => {
    const { handle, asked } = await play([
      scriptByTurn(use('planner'), say('done')),
      scriptByTurn(spread('Plan.'), say('<response><plan><goal>g</goal><step>a</step></plan></response>')),
      () => say('<response><plan><goal>x</goal><step>b</step></plan></response> Anything else?'),
    ]);
    await handle.result();
    const [below] = at(asked, 2);
    expect(below?.request).toMatchObject({ stop_sequences: ['</response>'] });
    expect(below?.request.output_config).toBeUndefined();
    expect(wrapperOf(below!)).not.toContain('Response Format');
    const results = at(asked, 1).at(-1)?.toolExchanges[0]?.result?.text ?? '';
    expect(mentions(results, '{"goal":"x","step":["b"]}')).toBe(true);
    expect(await valueOf(await childOf(handle))).toEqual({ goal: 'g', step: ['a'] });
  });

  test('the format stays when the agent uses tools and continues as new', async () => {
    const note = useTool('add_note', { text: 'Looked.', kind: 'finding' });
    const { handle, asked } = await play(
      [scriptByTurn(judge('native'), say('done')), scriptByTurn(note, note, say(verdict))],
      { tuning: { heartbeatTimeoutMs: 2_000, turnsPerExecution: 1 } },
    );
    await handle.result();
    expect(at(asked, 1)).toHaveLength(3);
    for (const { request } of at(asked, 1)) {
      expect(request.output_config?.format?.type).toBe('json_schema');
      expect(request.tools?.length).toBeGreaterThan(0);
    }
    expect(await valueOf(await childOf(handle))).toEqual({ verdict: 'pass' });
  });

  test('a structured answer over 4,000 characters is returned whole, without a call for a summary', async () => {
    const list = Array.from({ length: 500 }, (_, index) => `entry ${index}`);
    const { handle, asked } = await play(
      [scriptByTurn(judge('fallback'), say('done')), () => say(JSON.stringify(list, undefined, 2))],
      { model: roomy },
    );
    await handle.result();
    expect(at(asked, 1)).toHaveLength(1);
    const child = await childOf(handle);
    const { summary, artifacts, value } = await resultOf(child);
    expect(summary).toEqual({
      text: expect.stringMatching(/stored in full as the artifact FULL_ANSWER\.md/) as unknown,
    });
    expect(artifacts?.map(({ name }) => name)).toEqual(['FULL_ANSWER.md']);
    expect(value).toHaveProperty('ref');
    expect(await valueOf(child)).toEqual(list);
    expect(await shown(child)).toMatchObject({ status: 'completed', value: list });
  });

  test('an operator’s placeholder for an answer needs no format and has no value', async () => {
    const { handle, asked } = await play([scriptByTurn(judge('native'), say('done')), () => notJson], {
      onFailure: 'hold',
    });
    const id = await until(() => childOf(handle).catch(() => undefined));
    const child = harness.client.workflow.getHandle(id);
    const incident = await until(async () => {
      const { incidents } = await child.query<{ incidents: { id: string }[] }>('snapshot');
      return incidents[0];
    });
    const decision = { incident: incident.id, action: 'skip', placeholder: 'No verdict.' };
    await child.executeUpdate('operatorDecision', { args: [decision] });
    await handle.result();
    expect(await resultOf(id)).toMatchObject({ summary: { text: 'No verdict.' }, skipped: true });
    expect(await valueOf(id)).toBeUndefined();
    expect(mentions(told(asked).text, 'No verdict.')).toBe(true);
  });

  describe('a skill without an output format', () => {
    const { play, told } = treePlayer(() => harness, 'dispatch_skill');

    test('answers in one element of text, which reaches the parent as it is', async () => {
      const answer = 'Use `a < b && c`.';
      const { handle, asked } = await play([
        scriptByTurn(use('plain'), say('done')),
        scriptByTurn(say(answer), say(`<response><answer>${answer}</answer></response> Bye!`)),
      ]);
      await handle.result();
      const [first, second] = at(asked, 1);
      expect(first?.systemText).toContain('<response>\n  <answer>your answer</answer>\n</response>');
      expect(first?.request.stop_sequences).toEqual(['</response>']);
      expect(second?.lastUserText).toContain('does not have the required form');
      expect(mentions(told(asked).text, answer)).toBe(true);
      expect(told(asked).text).not.toContain('<answer>');
      expect(await resultOf(await childOf(handle))).toMatchObject({ summary: { text: answer } });
    });

    test('has the headings of level 1 in a relay, and passes on its text', async () => {
      const asked: ScriptedCall[] = [];
      harness.model.setScript((call) => {
        asked.push(call);
        return say(`<response><answer>a < ${asked.length}</answer></response>`);
      });
      const step = (name: string, from: string): object => ({ name, skill: 'plain', input: { goal: { from } } });
      const relay = relayNamed('twice', [step('one', 'goal'), step('two', 'steps.one.output')]);
      const { answer, steps } = await (await playRelay(harness, relay)).result();
      expect(steps).toHaveLength(2);
      expect(answer).toEqual({ text: 'a < 2' });
      expect(asked).toHaveLength(2);
      for (const { systemText } of asked) {
        expect(systemText.match(/^#+ .*$/gm)).toEqual(['# SYSTEM', '# CONTEXT (Injected)', '# TASK', '# INPUT']);
      }
      expect(asked[1]?.systemText).toMatch(/\nUser Goal: "a < 1"\n$/);
    });

    test('answers freely if its definition says text', async () => {
      const { handle, asked } = await play([scriptByTurn(use('free'), say('done')), () => say('Just so.')]);
      await handle.result();
      expect(at(asked, 1)).toHaveLength(1);
      expect(at(asked, 1)[0]?.request.stop_sequences).toBeUndefined();
      expect(mentions(told(asked).text, 'Just so.')).toBe(true);
    });

    test('is asked for a summary of a long answer, with or without its element', async () => {
      const long = `<response><answer>${'x'.repeat(4_100)}</answer></response>`;
      const { handle, asked } = await play(
        [
          scriptByTurn(use('plain'), say('done')),
          scriptByTurn(say(long), say('<response><answer>Many x.</answer></response>')),
        ],
        { model: roomy },
      );
      await handle.result();
      expect(mentions(told(asked).text, 'Many x.')).toBe(true);
      expect(told(asked).text).not.toContain('<answer>');
    });
  });
});
