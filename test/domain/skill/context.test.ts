import { utf8 } from '../../../domain/kernel';
import {
  assembleContext,
  ContextTooLargeError,
  MissingSourceError,
  overlaySource,
  sourceFromFiles,
} from '../../../domain/skill';
import { skillOf } from './samples';

const executor = skillOf({
  slice: [
    { source: 'PLAN.md', tag: 'mission_protocol', required: true },
    { source: { mentionedIn: 'PLAN.md', except: ['.planning'] }, tag: 'file' },
  ],
});

describe('an assembled context', () => {
  test('wraps each source in its tag, in the order of the slice', async () => {
    const skill = skillOf({
      slice: [
        { source: 'b.md', tag: 'two' },
        { source: 'a.md', tag: 'one' },
      ],
    });
    const { text } = await assembleContext(skill, sourceFromFiles({ 'a.md': 'A', 'b.md': 'B' }));
    expect(text).toBe('<two>\nB\n</two>\n\n<one>\nA\n</one>');
  });

  test('names a required source that is missing', async () => {
    const failure = assembleContext(executor, sourceFromFiles({}));
    await expect(failure).rejects.toThrow(MissingSourceError);
    await expect(failure).rejects.toThrow('needs PLAN.md, which does not exist');
  });

  test('lists optional sources that are absent, for the caller and for the agent', async () => {
    const skill = skillOf({ slice: [{ source: '.planning/ROADMAP.md', tag: 'roadmap_status' }] });
    const { text, absent } = await assembleContext(skill, sourceFromFiles({}));
    expect(absent).toEqual([{ source: '.planning/ROADMAP.md', tag: 'roadmap_status', reason: 'does not exist' }]);
    expect(text).toBe('<absent>\n.planning/ROADMAP.md (roadmap_status): does not exist\n</absent>');
  });

  test('says so when a source is not text', async () => {
    const binary = { ...sourceFromFiles({}), exists: () => Promise.resolve(true) };
    await expect(assembleContext(executor, binary)).rejects.toThrow('PLAN.md, which cannot be read as text');
  });

  test('says so when there is nothing to inject', async () => {
    expect((await assembleContext(skillOf(), sourceFromFiles({}))).text).toBe('No context is injected for this task.');
  });

  test('contains for an executor the files that its plan mentions, and neither roadmap nor vision', async () => {
    const files = {
      'PLAN.md': 'Change `src/auth.ts:12`, see ./src/util.ts. Add src/new.ts; keep PLAN.md and .planning/ROADMAP.md.',
      'src/auth.ts': 'auth',
      'src/util.ts': 'util',
      'src/other.ts': 'other',
      '.planning/ROADMAP.md': 'secret',
    };
    const { text, parts, absent } = await assembleContext(executor, sourceFromFiles(files));
    expect(parts.map(({ path }) => path)).toEqual(['PLAN.md', 'src/auth.ts', 'src/util.ts']);
    expect(text).toContain('<file path="src/auth.ts">\nauth\n</file>');
    expect(text).not.toContain('secret');
    expect(absent).toEqual([{ source: 'src/new.ts', tag: 'file', reason: 'does not exist' }]);
  });

  test('quotes a path so that it cannot end its attribute', async () => {
    const name = 'a"><b>&.md';
    const { text } = await assembleContext(executor, sourceFromFiles({ 'PLAN.md': `\`${name}\``, [name]: 'x' }));
    expect(text).toContain('<file path="a&quot;&gt;&lt;b&gt;&amp;.md">');
  });

  test('contains for a planner the tree instead of code', async () => {
    const skill = skillOf({ slice: [{ source: { outline: true }, tag: 'workspace_outline' }] });
    const { text } = await assembleContext(
      skill,
      sourceFromFiles({ 'src/a/x.ts': 'code', 'src/y.ts': 'code', 'z.md': '' }),
    );
    expect(text).toBe('<workspace_outline>\nsrc/\n  a/\n    x.ts\n  y.ts\nz.md\n</workspace_outline>');
  });

  test('reports the bytes and estimated tokens that were injected', async () => {
    const { text, bytes, estimatedTokens, parts } = await assembleContext(
      executor,
      sourceFromFiles({ 'PLAN.md': 'Grüße' }),
    );
    expect(bytes).toBe(utf8(text).length);
    expect(estimatedTokens).toBe(Math.ceil(bytes / 3));
    expect(parts).toEqual([{ tag: 'mission_protocol', path: 'PLAN.md', bytes, estimatedTokens }]);
  });

  test('is never truncated: exceeding the limit of the skill is an error that names the largest part', async () => {
    const skill = skillOf({ slice: [{ source: 'a.md', tag: 'a' }], limits: { maxInjectedTokens: 10 } });
    const failure = assembleContext(skill, sourceFromFiles({ 'a.md': 'x'.repeat(100) }));
    await expect(failure).rejects.toThrow(ContextTooLargeError);
    await expect(failure).rejects.toThrow('the largest part is a.md');
  });

  test('prefers an artifact to a file of the same name', async () => {
    const source = overlaySource(
      sourceFromFiles({ 'PLAN.md': 'see a.ts' }),
      sourceFromFiles({ 'PLAN.md': 'old', 'a.ts': 'A' }),
    );
    expect((await assembleContext(executor, source)).parts.map(({ path }) => path)).toEqual(['PLAN.md', 'a.ts']);
  });
});
