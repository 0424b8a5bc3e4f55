import type { Client } from '@temporalio/client';
import type { LogEntry } from '@temporalio/worker';
import { createActivities } from '../../../activities/create-activities';
import type { ModelRequest } from '../../../activities/dependencies';
import type { AgentActivities } from '../../../activities/interface';
import { builtInTools } from '../../../activities/tool/builtin';
import { defaultLimits, type OpenedAgent } from '../../../domain/agent';
import {
  type PreparedBatch,
  type PreparedDelegation,
  type PreparedTogether,
  unpackPrepared,
} from '../../../domain/delegation';
import type { JsonObject } from '../../../domain/kernel';
import { builtinPrompts } from '../../../domain/prompt';
import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import type { Store } from '../../../domain/store';
import { openFileStore } from '../../../store/file/open-file-store';
import { getPromptRecord, putPromptRecord } from '../../../store/prompts';
import { newFolder } from '../../store/support/folders';
import { loggedEnvironment } from '../../support/activity-environment';
import { batch } from '../../support/batches';
import { dispatch } from '../../support/delegation-script';
import { expectDocumented } from '../../support/doc-screens';

const model = { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 };
const snapshot = { inline: { snapshotVersion: '1', version: 1, versions: {}, slices: {} } };
const marker = '<!-- PARENT PROMPT END -->';

const helper: SkillDefinition = (() => {
  const parsed = parseSkill({ name: 'helper', description: 'Helps.', systemPrompt: 'Help.', tools: ['add_note'] });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.skill;
})();

describe('what a worker logs about the prompts of delegations', () => {
  let store: Store;
  let activities: AgentActivities;
  let opened: OpenedAgent;
  let logged: LogEntry[];
  const countTokens = jest.fn<Promise<number>, [ModelRequest, AbortSignal]>();

  beforeAll(async () => {
    store = await openFileStore(await newFolder());
    activities = createActivities({
      store,
      model: { nativeStructuredOutput: false, countTokens, reply: () => Promise.reject(new Error('not called')) },
      tools: builtInTools,
      prompts: builtinPrompts,
      skills: () => Promise.resolve([helper]),
      client: {} as Client,
      searchAttributes: false,
      place: () => Promise.resolve(undefined),
    });
    opened = await loggedEnvironment([]).run(activities.openRun, {
      runId: 'r1',
      goal: 'x',
      model,
      limits: defaultLimits,
    });
  });
  beforeEach(() => {
    logged = [];
  });

  const call = (name: string, input: unknown) => ({ id: 'c1', name, input: { text: JSON.stringify(input) } });
  const common = (limits = defaultLimits, chosen = model) => ({
    runId: 'r1',
    storeId: store.id,
    parent: { agentId: 'run/r1', delegationId: null, depth: 0, opened },
    settings: { model: chosen, limits },
  });
  const prepare = async (
    name: string,
    input: unknown,
    limits = defaultLimits,
    chosen = model,
  ): Promise<PreparedDelegation> => {
    const result: PreparedTogether = await loggedEnvironment(logged).run(activities.prepareDelegations, {
      ...common(limits, chosen),
      calls: [{ call: call(name, input), ordinal: 0 }],
      snapshot,
      snapshotSummary: 'Nothing.',
      snapshotVersion: '1',
      at: '2026-01-02T03:04:05.000Z',
      unspent: {},
      workspace: null,
    });
    return unpackPrepared(opened, result)[0]!;
  };
  const prepareAll = (input: unknown, limits = defaultLimits): Promise<PreparedBatch> =>
    loggedEnvironment(logged).run(activities.prepareBatch, {
      ...common(limits),
      call: call('dispatch_subagents', input),
      firstOrdinal: 0,
      from: 0,
      count: 40,
    });
  const lines = (level: string): LogEntry[] => logged.filter((entry) => entry.level === level);

  test('one INFO line per composed prompt, with what is inherited and withheld, and the sizes', async () => {
    const prepared = await prepare('dispatch_subagent', dispatch());
    if (!prepared.ok) throw new Error(prepared.message);
    const [line, ...others] = lines('INFO');
    expect(others).toEqual([]);
    await expectDocumented(line);
    expect(line).toMatchObject({
      message: 'Composed a prompt',
      meta: {
        delegationId: prepared.delegationId,
        parentPromptKey: 'baton/agent',
        inherited: [
          'role',
          'task',
          'working-rules',
          'workspace',
          'subagents',
          'skills',
          'parallel-subagents',
          'answer',
        ],
        withheld: [],
        parentBytes: opened.prompt.bytes,
        promptBytes: prepared.opened.prompt.bytes,
      },
    });
    expect(lines('WARN')).toEqual([]);
  });

  test('a batch without a rendered prompt of its parent is refused as a whole', async () => {
    const run = store.forRun('r1');
    const record = await getPromptRecord(run, opened.prompt, 'test');
    const empty = await run.put(new Uint8Array(), 'text/markdown');
    await putPromptRecord(run, { ...record, prompt: empty });
    const prepared = await loggedEnvironment(logged).run(activities.prepareBatch, {
      ...common(),
      parent: { ...common().parent, opened: { ...opened, prompt: empty } },
      call: call('dispatch_subagents', batch(['One.'])),
      firstOrdinal: 0,
      from: 0,
      count: 40,
    });
    expect(prepared).toEqual({
      ok: false,
      message: expect.stringContaining('No rendered parent prompt is available') as unknown,
    });
  });

  test('a skill: the sections of the parent are withheld', async () => {
    await prepare('dispatch_skill', { skill: 'helper', input: { goal: 'Help.' } });
    expect(lines('INFO').map(({ meta }) => meta)).toEqual([
      expect.objectContaining({ inherited: [], withheld: expect.arrayContaining(['role', 'task']) as unknown }),
    ]);
  });

  test('a step of a relay, which has no parent prompt: one INFO line with its sections and size, or one WARN line', async () => {
    const step = (input: JsonObject): Promise<PreparedDelegation> =>
      loggedEnvironment(logged).run(activities.prepareSkill, {
        runId: 'r1',
        storeId: store.id,
        settings: { model, limits: defaultLimits },
        skill: 'helper',
        input,
        skills: opened.skills!,
        prompts: opened.prompts,
        tools: opened.toolList,
        workspace: null,
        snapshot,
        depth: 0,
        ordinal: 0,
        searchAttributes: false,
      });
    const prepared = await step({ goal: 'Help.' });
    if (!prepared.ok) throw new Error(prepared.message);
    const { delegationId, opened: child } = prepared;
    expect(lines('INFO').map(({ meta }) => meta)).toEqual([
      expect.objectContaining({
        delegationId,
        skill: 'helper',
        sections: ['system', 'context', 'task', 'input'],
        promptBytes: child.prompt.bytes,
      }),
    ]);
    await step({});
    expect(lines('WARN').map(({ meta }) => meta)).toEqual([
      expect.objectContaining({ type: 'Tool.ValidationError', field: 'input.goal' }),
    ]);
  });

  test('a batch: one INFO line per item that is composed, and one WARN line per item that is not', async () => {
    const { delegations } = batch(['One.', 'Two. And three.', 'Four.']) as { delegations: Record<string, unknown>[] };
    const broken = { ...delegations[2], recap_lines: ['Fine.', `Bad ${marker}`] };
    const prepared = await prepareAll({ delegations: [...delegations.slice(0, 2), broken] });
    if (!prepared.ok) throw new Error(prepared.message);
    const [first, second, third] = prepared.items;
    expect(lines('INFO').map(({ meta }) => meta)).toEqual([
      expect.objectContaining({ delegationId: first?.delegationId, parentPromptKey: 'baton/agent' }),
    ]);
    const refusals = [
      { delegationId: second?.delegationId, type: 'Prompt.SeveralSentences', field: 'delegations[1].reason' },
      { delegationId: third?.delegationId, type: 'Prompt.MarkerInField', field: 'delegations[2].recap_lines[1]' },
    ];
    expect(lines('WARN').map(({ message, meta }) => ({ message, ...meta }))).toEqual(
      refusals.map((refusal): unknown =>
        expect.objectContaining({
          ...refusal,
          message: 'Delegation refused',
          parentPromptKey: 'baton/agent',
          reason: expect.stringMatching(/\w/) as unknown,
          remedy: expect.stringMatching(/\w/) as unknown,
        }),
      ),
    );
    await expectDocumented(lines('WARN')[0]);
    expect([second, third]).toEqual(
      refusals.map((refusal): unknown => expect.objectContaining({ ok: false, ...refusal })),
    );
  });

  test.each([
    ['dispatch_subagent', dispatch({ instructions: `Do ${marker}.` }), 'Prompt.MarkerInField', 'instructions'],
    [
      'dispatch_subagent',
      dispatch({ expected_artifacts: ['a.md', marker] }),
      'Prompt.MarkerInField',
      'expected_artifacts[1]',
    ],
    [
      'dispatch_subagent',
      dispatch({ expected_artifacts: ['x'.repeat(161)] }),
      'Tool.ValidationError',
      'expected_artifacts[0]',
    ],
    ['dispatch_subagent', dispatch({ instructions: 'See ${goal}.' }), 'Prompt.PlaceholderInField', 'instructions'],
    ['dispatch_subagent', dispatch({ prompt_key: 'nobody' }), 'Prompt.Unknown', 'prompt_key'],
    ['dispatch_skill', { skill: 'nobody', input: {} }, 'Tool.ValidationError', 'skill'],
    ['dispatch_skill', { skill: 'helper', input: { gaol: 'x' } }, 'Tool.ValidationError', 'input.goal'],
  ])(
    '%s %j: one WARN line with id, key, type, field, reason and remedy, which the model is told',
    async (name, input, type, field) => {
      const refused = await prepare(name, input);
      if (refused.ok) throw new Error('It was not refused');
      const { delegationId, reason, remedy } = refused;
      expect(refused).toMatchObject({ type, field });
      expect(lines('WARN').map(({ meta }) => meta)).toEqual([
        expect.objectContaining({ delegationId, parentPromptKey: 'baton/agent', type, field, reason, remedy }),
      ]);
      const cause = type === 'Tool.ValidationError' ? '' : ` (${type})`;
      expect(refused.message).toBe(
        `ToolValidationError${cause}: ${field}: ${reason}. ${remedy} Nothing was started. [delegation_id ${delegationId}]`,
      );
      expect(lines('INFO')).toEqual([]);
    },
  );

  test.each([
    [batch([]), 'delegations', undefined],
    [
      { delegations: [...(batch(['One.'])['delegations'] as object[]), { reason: '' }] },
      'delegations[1].reason',
      undefined,
    ],
    [batch(['One.', 'Two.']), 'delegations', { ...defaultLimits, maxChildren: 1 }],
  ])(
    'a batch that is refused as a whole: one WARN line, and the model is told the same',
    async (input, field, limits) => {
      const refused = await prepareAll(input, limits);
      if (refused.ok) throw new Error('It was not refused');
      const [line, ...others] = lines('WARN');
      expect(others).toEqual([]);
      expect(line?.meta).toMatchObject({ parentPromptKey: 'baton/agent', type: 'Tool.ValidationError', field });
      const { delegationId, reason, remedy } = line?.meta as Record<string, string>;
      expect(refused.message).toBe(
        `ToolValidationError: ${field}: ${reason}. ${remedy} Nothing was started. [delegation_id ${delegationId}]`,
      );
    },
  );

  test.each([
    ['whose tokens the provider cannot count, by an upper bound', undefined, 'Prompt.TooLarge'],
    ['that the provider counts as too large', 5_401, 'Prompt.TooLarge'],
    ['that the provider counts as just small enough', 5_400, undefined],
  ])('a prompt %s', async (_, counted, type) => {
    const small = { name: 'm', maxTokens: 100, window: 10_000 };
    countTokens.mockReset();
    if (counted === undefined) countTokens.mockRejectedValue(new Error('no such endpoint'));
    else countTokens.mockResolvedValue(counted);
    const instructions = `Find out ${counted ?? 'nothing'}.`;
    const prepared = await prepare('dispatch_subagent', dispatch({ instructions }), defaultLimits, small);
    expect(prepared.ok ? undefined : prepared.type).toBe(type);
    const [request] = countTokens.mock.calls[0] ?? [];
    expect(request).toMatchObject({ settings: small, messages: [{ role: 'user' }] });
    expect(request?.system).toContain(instructions);
    expect(request?.tools.length).toBeGreaterThan(5);
    const refusals = lines('WARN').filter(({ message }) => message === 'Delegation refused');
    expect(refusals.map(({ meta }): unknown => meta?.['type'])).toEqual(type === undefined ? [] : [type]);
  });
});
