import type { Client } from '@temporalio/client';
import fc from 'fast-check';
import { createActivities } from '../../activities/create-activities';
import type { AgentActivities } from '../../activities/interface';
import { builtInTools } from '../../activities/tool/builtin';
import { defaultLimits, type OpenedAgent } from '../../domain/agent';
import {
  dispatchSkillTool,
  dispatchSubagentsTool,
  dispatchSubagentTool,
  type PreparedBatch,
  type PreparedTogether,
  unpackPrepared,
} from '../../domain/delegation';
import type { Json } from '../../domain/kernel';
import { builtinPrompts } from '../../domain/prompt';
import { parseSkill, type SkillDefinition } from '../../domain/skill';
import { maxPayloadBytes, type Store } from '../../domain/store';
import { measurePayload, spillText } from '../../store/blobs';
import { MemoryRunStore } from '../store/support/memory-run-store';
import { quietEnvironment } from '../support/activity-environment';
import { type Schema, type Texts, valuesOf } from './support/from-schema';
import { expectNotQuadratic } from './support/growth';
import { fuzz, type Outcome } from './support/target';
import { changed, hostileText } from './support/values';

const model = { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 };
const snapshot = { inline: { snapshotVersion: '1', version: 1, versions: {}, slices: {} } };

const helper: SkillDefinition = (() => {
  const parsed = parseSkill({ name: 'helper', description: 'Helps.', systemPrompt: 'Help.', tools: ['add_note'] });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.skill;
})();

/** What the schemas do not say. */
const texts: Texts = {
  mode: fc.constantFrom('ad_hoc', 'ad_hoc', 'plan_step'),
  prompt_ns: fc.oneof({ weight: 4, arbitrary: fc.constant('baton') }, { weight: 1, arbitrary: hostileText }),
  prompt_key: fc.oneof({ weight: 4, arbitrary: fc.constant('subagent') }, { weight: 1, arbitrary: hostileText }),
  plan_step_id: fc.constantFrom(null, 'S001'),
  snapshot_version: fc.constantFrom(null, '1', '2'),
  skill: fc.oneof({ weight: 4, arbitrary: fc.constant('helper') }, { weight: 1, arbitrary: hostileText }),
  input: fc.record({ goal: hostileText }),
};

const inputs = (tool: { readonly inputSchema: unknown }): fc.Arbitrary<Json> =>
  changed(valuesOf(tool.inputSchema as Schema, texts), 0.7);

describe('payloads of dispatch tools', () => {
  const memory = new MemoryRunStore();
  const store: Store = {
    id: 'store',
    checkWritable: () => Promise.resolve(),
    forRun: () => memory,
    listRuns: () => Promise.resolve([]),
    deleteRun: () => Promise.resolve(false),
  };
  const environment = quietEnvironment();
  let activities: AgentActivities;
  let opened: OpenedAgent;

  beforeAll(async () => {
    activities = createActivities({
      store,
      model: {
        nativeStructuredOutput: false,
        countTokens: () => Promise.resolve(1_000),
        reply: () => Promise.reject(new Error('not called')),
      },
      tools: builtInTools,
      prompts: builtinPrompts,
      skills: () => Promise.resolve([helper]),
      client: {} as Client,
      searchAttributes: false,
      place: () => Promise.resolve(undefined),
    });
    opened = await environment.run(activities.openRun, { runId: 'r1', goal: 'x', model, limits: defaultLimits });
  });

  const call = async (name: string, input: Json) => ({
    id: 'c1',
    name,
    input: await spillText(memory, JSON.stringify(input)),
  });
  const common = () => ({
    runId: 'r1',
    storeId: store.id,
    parent: { agentId: 'run/r1', delegationId: null, depth: 0, opened },
    settings: { model, limits: defaultLimits },
  });

  /** A refusal says what to do, and no result is larger than what a history may contain. */
  function judge(result: object, refusal: string | undefined): Outcome {
    expect(measurePayload(result)).toBeLessThanOrEqual(maxPayloadBytes);
    if (refusal === undefined) return 'accepted';
    expect(refusal.length).toBeGreaterThan(0);
    return 'refused';
  }

  async function dispatchOne(name: string, input: Json): Promise<Outcome> {
    const result: PreparedTogether = await environment.run(activities.prepareDelegations, {
      ...common(),
      calls: [{ call: await call(name, input), ordinal: 0 }],
      snapshot,
      snapshotSummary: 'Nothing.',
      snapshotVersion: '1',
      at: '2026-01-02T03:04:05.000Z',
      unspent: {},
      workspace: null,
    });
    const [prepared] = unpackPrepared(opened, result);
    if (prepared === null || prepared === undefined) throw new Error('it was not prepared');
    return judge(result, prepared.ok ? undefined : prepared.message);
  }

  async function dispatchBatch(input: Json): Promise<Outcome> {
    const place = { firstOrdinal: 0, from: 0, count: 40 };
    const result: PreparedBatch = await environment.run(activities.prepareBatch, {
      ...common(),
      call: await call('dispatch_subagents', input),
      ...place,
    });
    if (!result.ok) return judge(result, result.message);
    const isReady = result.items.some((item) => item.ok);
    return judge(result, isReady ? undefined : 'every delegation was refused');
  }

  const shares = { accepted: 0.1, refused: 0.08 };
  fuzz({
    name: 'dispatch_subagent',
    input: inputs(dispatchSubagentTool()),
    run: (input) => dispatchOne('dispatch_subagent', input),
    shares,
    cases: 300,
  });
  fuzz({
    name: 'dispatch_subagents',
    input: inputs(dispatchSubagentsTool()),
    run: dispatchBatch,
    shares,
    cases: 300,
  });
  fuzz({
    name: 'dispatch_skill',
    input: inputs(dispatchSkillTool([helper])),
    run: (input) => dispatchOne('dispatch_skill', input),
    shares,
    cases: 300,
  });

  test('take no time that grows with the square of their size', async () => {
    await expectNotQuadratic(2_000, (size) => {
      const text = '# Heading\n'.repeat(size / 10);
      const delegation = { reason: 'Look.', expected_result: text, may_delegate_further: 'no', recap_lines: ['a'] };
      return async () => {
        await dispatchOne('dispatch_skill', { skill: 'helper', input: { goal: text } });
        await dispatchBatch({ delegations: [{ ...delegation, recap_lines: text.split('\n').filter(Boolean) }] });
      };
    });
  });
});
