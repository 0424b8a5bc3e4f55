import { workspaceSource } from '../../../activities/skill/gather-context';
import { assembleContext } from '../../../domain/skill';
import { NotInWorkspaceError, type WorkspaceEntry, type WorkspaceView } from '../../../domain/workspace';
import { skillOf } from '../../domain/skill/samples';

const at = { hash: '0'.repeat(64), bytes: 1 };
const entries: WorkspaceEntry[] = [
  { path: 'src', name: 'src', kind: 'folder' },
  { path: 'src/a.ts', name: 'a.ts', kind: 'file', ...at },
  { path: 'src/logo.png', name: 'logo.png', kind: 'file', binary: true, ...at },
  { path: 'src/link.ts', name: 'link.ts', kind: 'link', ...at },
  { path: 'src/huge.ts', name: 'huge.ts', kind: 'unread', bytes: 1, reason: 'tooBig' },
  { path: 'PLAN.md', name: 'PLAN.md', kind: 'file', ...at },
];
const contents: Record<string, string> = {
  'src/a.ts': '\uFEFFcode',
  'PLAN.md': 'src/a.ts src/logo.png src/link.ts src/huge.ts src',
};

const view: Pick<WorkspaceView, 'stat' | 'read' | 'list'> = {
  stat: (path) => Promise.resolve(entries.find((entry) => entry.path === path)),
  read: (path) => {
    const text = contents[path];
    return text === undefined
      ? Promise.reject(new NotInWorkspaceError(path, 'is not a file'))
      : Promise.resolve(new TextEncoder().encode(text));
  },
  list: () => Promise.resolve(entries),
};

describe('a workspace as the source of a context slice', () => {
  const source = workspaceSource(view as WorkspaceView);

  test('lists files, not folders', async () => {
    expect(await source.list()).toEqual(['src/a.ts', 'src/logo.png', 'src/link.ts', 'src/huge.ts', 'PLAN.md']);
    expect(await source.exists('src')).toBe(false);
  });

  test('returns the text of text files, and reports that others cannot be read', async () => {
    const skill = skillOf({ slice: [{ source: { mentionedIn: 'PLAN.md' }, tag: 'file' }] });
    const { text, absent } = await assembleContext(skill, source);
    expect(text).toContain('<file path="src/a.ts">\n\uFEFFcode\n</file>');
    expect(absent.map((one) => `${one.source} ${one.reason}`)).toEqual([
      'src/logo.png cannot be read as text',
      'src/link.ts cannot be read as text',
      'src/huge.ts cannot be read as text',
    ]);
  });
});
