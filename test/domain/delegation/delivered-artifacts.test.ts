import { initialProgress, type OpenedAgent } from '../../../domain/agent';
import {
  addDelegationArtifacts,
  type DelegationResult,
  delegationResult,
  type DelegationStart,
  missingArtifacts,
  type ReadyDelegation,
  toolResultForSuccess,
} from '../../../domain/delegation';
import {
  applyEvents,
  artifactsSlice,
  builtInSlices,
  createSessionSchema,
  emptySession,
  recordsOf,
  type Session,
} from '../../../domain/session';
import type { SessionEvent } from '../../../domain/tool';

const schema = createSessionSchema(builtInSlices);
const hash = (content: string): string => Buffer.from(content).toString('hex').padStart(64, '0').slice(-64);
const wroteArtifact = (name: string, content = 'x', by = 'child'): SessionEvent => ({
  type: 'artifactWritten',
  value: { name, ref: { hash: hash(content), bytes: 1, mediaType: 'text/markdown' }, by },
});
const wroteFile = (path: string, content: string | null = 'x'): SessionEvent => ({
  type: 'fileChanged',
  value: { path, expectedHash: null, newHash: content === null ? null : hash(content), bytes: 1 },
});

function after(events: readonly SessionEvent[], before: Session = emptySession(schema)): Session {
  const { session, results } = applyEvents(schema, before, events);
  expect(results.filter(({ status }) => status !== 'applied')).toEqual([]);
  return session;
}

const delegationId = 'abcdefghijklmnopqrstuvwxyz';
const prepared = {
  ok: true,
  delegationId,
  promptNs: 'baton',
  promptKey: 'subagent',
  planStepId: null,
  expectedArtifacts: [],
  headline: '',
} as unknown as ReadyDelegation;

/** The result of a child that did this, from the session that its parent had. */
function resultOf(
  events: readonly SessionEvent[],
  start: Partial<DelegationStart> = {},
  baseline: Session = emptySession(schema),
): DelegationResult {
  const opening = { hash: 'c'.repeat(64), bytes: 1, mediaType: 'application/json' };
  const progress = initialProgress({ opening } as OpenedAgent, after(events, baseline), null, undefined);
  return delegationResult({ expectedArtifacts: [], ...start } as DelegationStart, progress, baseline, {
    text: 'Done.',
  });
}

/** What the parent is told about these results, and its session after it. */
function told(session: Session, results: readonly DelegationResult[], ready: Partial<ReadyDelegation> = {}) {
  const call = { id: 'call', name: 'dispatch_subagent', input: { text: '{}' } };
  const completed = addDelegationArtifacts(
    session,
    results.map((result) => toolResultForSuccess(call, { ...prepared, ...ready }, result)),
  );
  const recorded = after(
    completed.flatMap(({ events }) => events.filter(({ type }) => type === 'artifactWritten')),
    session,
  );
  const names = recordsOf(recorded, artifactsSlice).map(({ name }) => name);
  return { names, told: completed.map(({ outcome }) => outcome) };
}

describe('what a delegation delivers', () => {
  test('files of an isolated child are artifacts of its result, and deleted ones are not', () => {
    const { artifacts } = resultOf([wroteArtifact('R.md'), wroteFile('src/a.ts'), wroteFile('old.ts', null)]);
    expect(artifacts).toMatchObject([{ name: 'R.md' }, { name: 'src/a.ts', kind: 'file' }]);
  });

  test('files that are merged are not artifacts as well, nor are files that agents further down kept', () => {
    const below = { ...wroteArtifact('b.ts'), value: { ...(wroteArtifact('b.ts').value as object), kind: 'file' } };
    const events = [wroteArtifact('R.md'), wroteFile('src/a.ts'), below];
    const { artifacts = [], files } = resultOf(events, { returnsFiles: true });
    expect(artifacts.map(({ name }) => name)).toEqual(['R.md']);
    expect(files).toMatchObject([{ path: 'src/a.ts' }]);
    expect(resultOf(events).artifacts?.map(({ name }) => name)).toEqual(['R.md', 'b.ts', 'src/a.ts']);
  });

  test.each<[string, readonly SessionEvent[]]>([
    ['an artifact', [wroteArtifact('a.md')]],
    ['a file', [wroteFile('a.md')]],
  ])('a name counts as delivered if %s has it, to an agent as to a relay', (_, events) => {
    for (const returnsFiles of [false, true]) {
      const start = { expectedArtifacts: ['a.md', 'b.md'], returnsFiles };
      expect(missingArtifacts(start, after(events), emptySession(schema))).toEqual(['b.md']);
    }
  });

  test('a deleted file and an artifact of the parent are not delivered, one written again with the same content is', () => {
    const baseline = after([wroteArtifact('parents.md', 'p', 'parent'), wroteArtifact('again.md', 'a', 'parent')]);
    const session = after([wroteFile('gone.ts', null), wroteArtifact('again.md', 'a', 'child')], baseline);
    const expectedArtifacts = ['gone.ts', 'parents.md', 'again.md'];
    expect(missingArtifacts({ expectedArtifacts }, session, baseline)).toEqual(['gone.ts', 'parents.md']);
  });

  test('expected names come first, and what does not fit is counted', () => {
    const many = Array.from({ length: 400 }, (_, index) => wroteFile(`src/${index}.ts`));
    const { artifacts = [], moreArtifacts } = resultOf([...many, wroteArtifact('R.md')], {
      expectedArtifacts: ['src/399.ts'],
    });
    expect(artifacts[0]?.name).toBe('src/399.ts');
    expect(artifacts[1]?.name).toBe('R.md');
    expect(artifacts.length + moreArtifacts!).toBe(401);
    expect(JSON.stringify(artifacts).length).toBeLessThan(24 * 1024);
  });
});

describe('what the parent is told', () => {
  test('every name in the payload is the name of an artifact that the parent can read', () => {
    const parent = after([wroteArtifact('R.md', 'own', 'parent')]);
    const result = resultOf([wroteArtifact('R.md'), wroteFile('R.md', 'y'), wroteFile('a.ts')], {}, parent);
    const { names, told: outcomes } = told(parent, [result, result]);
    for (const { payload } of outcomes) expect(names).toEqual(expect.arrayContaining([...payload!.artifacts]));
    expect(outcomes[0]?.payload?.artifacts).toEqual([`${delegationId}/R.md`, `${delegationId}/file/R.md`, 'a.ts']);
    expect(new Set(names).size).toBe(names.length);
  });

  test('a result never lists a name as delivered and as missing', () => {
    const result = resultOf([wroteFile('src/auth.ts')], { expectedArtifacts: ['src/auth.ts', 'R.md'] });
    const [outcome] = told(emptySession(schema), [result]).told;
    expect(outcome).toMatchObject({
      isError: true,
      payload: { artifacts: ['src/auth.ts'] },
      addendum: '\n\nExpected but not written: R.md.',
    });
  });

  test('outputs that were described in words are said to be unchecked, and are no error', () => {
    const [outcome] = told(emptySession(schema), [resultOf([])], { describedOutputs: ['Table of "KPIs"'] }).told;
    expect(outcome?.isError).toBe(false);
    expect(outcome?.addendum).toBe(
      '\n\nNot checked, because these describe an output and do not name it: "Table of \\"KPIs\\"".',
    );
  });

  test('names that are not listed, or not recorded because the session is full, are counted', () => {
    const many = Array.from({ length: 150 }, (_, index) => wroteFile(`${'folder/'.repeat(8)}${index}.ts`));
    const result = resultOf(many);
    const full = after(
      Array.from({ length: 210 }, (_, index) => ({
        type: 'noteAdded',
        value: { text: 'n'.repeat(1_000), by: `${index}` },
      })),
    );
    for (const session of [emptySession(schema), full]) {
      const { names, told: outcomes } = told(session, [result, result]);
      for (const { payload, addendum } of outcomes) {
        expect(names).toEqual(expect.arrayContaining([...payload!.artifacts]));
        const [unlisted = 0, lost = 0] = ['recorded but not listed', 'written but could not'].map((kind) =>
          Number(new RegExp(`(\\d+) more artifacts or files were ${kind}`).exec(addendum ?? '')?.[1] ?? 0),
        );
        expect(payload!.artifacts.length + unlisted + lost).toBe(150);
        expect(JSON.stringify(payload).length).toBeLessThan(5_000);
      }
    }
  });

  test('a long parsed answer becomes an artifact, a short one is part of the payload', () => {
    const ref = { hash: hash('v'), bytes: 9_000, mediaType: 'application/json' };
    const [long] = told(emptySession(schema), [{ ...resultOf([]), value: { ref } }]).told;
    expect(long?.payload).toMatchObject({ artifacts: ['output.json'] });
    expect(long?.payload).not.toHaveProperty('value');
    expect(long?.addendum).toContain('The parsed output has 9000 bytes: read it with read_artifact "output.json".');
    const [short] = told(emptySession(schema), [{ ...resultOf([]), value: { text: '{"a":1}' } }]).told;
    expect(short?.payload).toMatchObject({ artifacts: [], value: { text: '{"a":1}' } });
  });
});
