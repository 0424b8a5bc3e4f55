import type { OpenedAgent } from '../../../domain/agent';
import {
  packPrepared,
  type PreparedDelegation,
  readyDelegationSchema,
  type ReadyDelegation,
  unpackPrepared,
} from '../../../domain/delegation';

const ref = (name: string, mediaType = 'application/json') => ({
  hash: Buffer.from(name).toString('hex').padEnd(64, '0'),
  bytes: 100,
  mediaType,
});
const parent: OpenedAgent = {
  storeId: 's',
  prompt: ref('a', 'text/markdown'),
  tools: { names: ['grep', 'dispatch_subagent'], once: [], reads: {} },
  toolList: ref('b'),
  prompts: ref('c'),
  opening: ref('d'),
  searchAttributes: true,
  skill: 'planner',
};
const { skill: _skill, ...withoutSkill } = parent;
const ready = (id: string, opened: Partial<OpenedAgent> = {}): ReadyDelegation => ({
  ok: true,
  delegationId: id,
  opened: { ...withoutSkill, prompt: ref(`p${id}`, 'text/markdown'), opening: ref(`o${id}`), ...opened },
  promptNs: 'baton',
  promptKey: 'subagent',
  planStepId: null,
  expectedArtifacts: [],
  headline: 'Look.',
});
const refused: PreparedDelegation = {
  ok: false,
  delegationId: 'r',
  type: 'Tool.ValidationError',
  field: 'mode',
  reason: 'must be set',
  remedy: 'Set it.',
  message: 'mode: must be set. Set it.',
};
const lastLevel = { tools: { names: ['grep'], once: [], reads: {} }, toolList: ref('e') };
const size = (entry: unknown): number => JSON.stringify(entry).length;

describe('delegations that are prepared together', () => {
  const all = [
    ready('1'),
    null,
    refused,
    ready('2', lastLevel),
    ready('3', lastLevel),
    ready('4', { skill: 'tester' }),
  ];
  const packed = packPrepared(parent, all, { maxBytes: 32_768, size });

  test('are restored as they were, with what they lack and what could not be prepared', () => {
    expect(unpackPrepared(parent, JSON.parse(JSON.stringify(packed)) as typeof packed)).toEqual(all);
    for (const one of unpackPrepared(parent, packed))
      if (one?.ok === true) expect(readyDelegationSchema.safeParse(one).success).toBe(true);
  });

  test('do not repeat what they have in common with their parent, or with the one before', () => {
    expect(packed.delegations.map((one) => (one?.ok === true ? Object.keys(one.opened).sort() : []))).toEqual([
      ['opening', 'prompt', 'skill'],
      [],
      [],
      ['opening', 'prompt', 'toolList', 'tools'],
      ['opening', 'prompt'],
      ['opening', 'prompt', 'skill', 'toolList', 'tools'],
    ]);
  });

  test('are left out when they no longer fit into the payload, and those after them are still complete', () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      ready(String(index), { access: { restricted: [], note: 'x'.repeat(index === 3 ? 3_000 : 10) } as never }),
    );
    const { delegations } = packPrepared(parent, many, { maxBytes: 2_000, size });
    expect(size(delegations)).toBeLessThan(2_200);
    expect(delegations[3]).toBeNull();
    const restored = unpackPrepared(parent, { delegations });
    expect(restored.filter((one) => one !== null).length).toBeGreaterThan(2);
    restored.forEach((one, index) => {
      if (one !== null) expect(one).toEqual(many[index]);
    });
  });
});
