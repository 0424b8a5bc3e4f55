import { defaultLimits } from '../../../domain/agent';
import {
  dispatchSkillTool,
  type DispatchSubagentParameters,
  dispatchSubagentSchema,
  dispatchSubagentTool,
  omitNulls,
  skillInputFromInstructions,
} from '../../../domain/delegation';
import { skillSettings, skillsSection, toRefusedDelegation } from '../../../domain/delegation/prepare';
import { agentPrompt, renderPrompt, withSections } from '../../../domain/prompt';
import { InvalidSkillInputError, MissingSourceError } from '../../../domain/skill';
import { toolDescriptionSchema } from '../../../domain/tool';
import { skillOf } from '../skill/samples';

const plain = skillOf({ name: 'plain', description: 'Does ${anything}\nyou want.' });
const picky = skillOf({
  name: 'picky',
  input: {
    type: 'object',
    properties: { goal: { type: 'string' }, file: { type: 'string' }, depth: { type: 'integer' } },
    required: ['goal', 'file'],
  },
});

describe('the tool dispatch_skill', () => {
  test('lists each skill on one line, with its input', () => {
    const tool = toolDescriptionSchema.parse(dispatchSkillTool([picky, plain]));
    expect(tool.inputSchema).toMatchObject({
      type: 'object',
      required: ['skill', 'input'],
      properties: {
        skill: {
          enum: ['picky', 'plain'],
          description: expect.stringContaining('- plain: Does ${anything} you want.') as unknown,
        },
        input: {
          anyOf: [
            { title: 'picky', type: 'object', required: ['goal', 'file'] },
            { title: 'plain', required: ['goal'], additionalProperties: false },
          ],
        },
      },
    });
  });

  test('is explained in a section that no name or description of a skill can break', () => {
    const definition = withSections(agentPrompt.definition, [skillsSection([picky, plain])], 'answer');
    const { markdown, tools } = renderPrompt(definition, { parameters: agentPrompt.bind({ goal: 'x' }) });
    expect(tools).toEqual(['dispatch_skill']);
    expect(markdown).toContain('- `plain`: Does ${anything} you want. Input: `goal`.');
    expect(markdown).toContain('Input: `goal`, `file`, `depth` (optional).');
  });
});

describe('null for an optional field', () => {
  const nested = skillOf({
    name: 'nested',
    input: {
      type: 'object',
      properties: {
        goal: { type: 'string' },
        nothing: { type: 'null' },
        options: { type: 'object', properties: { depth: { type: 'integer' } } },
        parts: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' } } } },
      },
      required: ['goal'],
    },
  });

  test('means the same as omitting it in the input of a skill, at any depth', () => {
    const given = {
      goal: 'x',
      nothing: null,
      options: { depth: null },
      parts: [{ path: null }, { path: 'a' }],
      other: null,
    };
    expect(omitNulls(nested.input, given)).toEqual({
      goal: 'x',
      nothing: null,
      options: {},
      parts: [{}, { path: 'a' }],
      other: null,
    });
    expect(omitNulls(nested.input, { goal: null, options: null })).toEqual({ goal: null });
  });

  test("is part of the schema that the model sees, and not of the skill's own", () => {
    const { inputSchema } = dispatchSkillTool([picky]);
    const orNull = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
    expect(inputSchema).toMatchObject({
      properties: { input: { anyOf: [{ properties: { goal: { type: 'string' }, depth: orNull } }] } },
    });
    expect(picky.input.properties?.['depth']).toEqual({ type: 'integer' });
  });

  test('is accepted by dispatch_subagent, and its schema says so', () => {
    const required = { mode: 'ad_hoc', prompt_ns: 'a', prompt_key: 'b', instructions: 'Do it.' };
    const nulls = { expected_artifacts: null, plan_step_id: null, snapshot_version: null };
    expect(dispatchSubagentSchema.parse({ ...required, ...nulls })).toEqual({ ...required, ...nulls });
    expect(dispatchSubagentSchema.safeParse({ ...required, ...nulls, mode: 'plan_step' }).error?.message).toContain(
      'is required when mode is plan_step',
    );
    for (const name of Object.keys(nulls)) {
      expect(dispatchSubagentTool().inputSchema['properties']).toMatchObject({
        [name]: { anyOf: expect.arrayContaining([{ type: 'null' }]) as unknown },
      });
    }
  });
});

describe('the error for a skill that is not dispatched', () => {
  test.each([
    [
      new InvalidSkillInputError('picky', 'file', 'is missing'),
      /input\.file: the skill "picky" .* is missing\. Correct/,
    ],
    [
      new MissingSourceError('executor', 'PLAN.md', 'does not exist'),
      /PLAN\.md: the skill "executor" needs it.*artifact/,
    ],
  ])('%s', (error, message) => {
    const refused = toRefusedDelegation(error, 'id-1', { tool: 'dispatch_skill' });
    expect(refused).toMatchObject({
      ok: false,
      type: 'Tool.ValidationError',
      message: expect.stringMatching(message) as unknown,
    });
    expect(refused?.message).toContain('Nothing was started. [delegation_id id-1]');
  });

  test('dispatch_subagent passes a skill its goal, and refuses a skill that requires more', () => {
    const parameters = { instructions: 'Look.' } as DispatchSubagentParameters;
    expect(skillInputFromInstructions(plain, parameters)).toEqual({ goal: 'Look.' });
    expect(() => skillInputFromInstructions(picky, parameters)).toThrow(/requires more than a goal.*dispatch_skill/);
  });
});

describe('the settings of the agent of a skill', () => {
  const given = {
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 50_000, temperature: 0.5 },
    limits: { ...defaultLimits, maxTurns: 50 },
  };

  test('are those of the run unless the skill specifies them', () => {
    expect(skillSettings(skillOf(), given)).toEqual({});
  });

  test("are the skill's own otherwise, but with no more turns than the run allows", () => {
    const limits = { handoffAt: 0.5, budgetTokens: 10, deadlineSeconds: 20, onFailure: 'hold' };
    expect(skillSettings(skillOf({ limits: { ...limits, maxTurns: 60 } }), given)).toEqual({
      limits: given.limits,
      handoff: { at: 0.5, max: 8 },
      onFailure: 'hold',
      budgetTokens: 10,
      deadlineSeconds: 20,
    });
    expect(skillSettings(skillOf({ limits: { maxTurns: 6, maxHandoffs: 1 } }), given)).toMatchObject({
      limits: { maxTurns: 6, maxDepth: 3 },
      handoff: { at: 0.6, max: 1 },
    });
  });

  test('keep the context window of the model unless the skill names another model', () => {
    expect(skillSettings(skillOf({ model: { temperature: 0 } }), given).model).toEqual({
      ...given.model,
      temperature: 0,
    });
    expect(skillSettings(skillOf({ model: { name: 'claude-opus-5-5' } }), given).model).toEqual({
      name: 'claude-opus-5-5',
      maxTokens: 1_000,
      window: 200_000,
      temperature: 0.5,
    });
    expect(() => skillSettings(skillOf({ model: { maxTokens: 60_000 } }), given)).toThrow(
      /are not compatible .*maxTokens/,
    );
  });
});
