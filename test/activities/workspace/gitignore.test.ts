import { cpuTimeOf } from '../../support/cpu-time';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { importFolder } from '../../../activities/workspace/import-folder';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { folderWith, paths } from '../../store/workspace/support';

async function mounted(folder: string): Promise<string[]> {
  const store = new MemoryRunStore();
  return paths(store, (await importFolder(store, folder)).root);
}

const samples: [what: string, files: Record<string, string>][] = [
  [
    'plain patterns',
    { '.gitignore': 'node_modules/\n*.log\n', 'a.log': '', 'b/c.log': '', 'node_modules/x/y.js': '', 'd.ts': '' },
  ],
  [
    'rules of folders further down',
    {
      '.gitignore': '*.tmp\n',
      'a/.gitignore': '!keep.tmp\nout\n',
      'a/keep.tmp': '',
      'a/x.tmp': '',
      'a/out/z': '',
      'out/z': '',
    },
  ],
  [
    'anchored patterns',
    { '.gitignore': '/build\nsub/gen\n', 'build/a': '', 'x/build/a': '', 'sub/gen/a': '', 'x/sub/gen/a': '' },
  ],
  [
    'anchored patterns of folders further down',
    { 'a/.gitignore': '/b\n*.x\n', 'a/b': '', 'a/c/b': '', b: '', 'z.x': '', 'a/d/z.x': '' },
  ],
  [
    'nothing inside an ignored folder can come back',
    { '.gitignore': 'gen\n!gen/keep\n', 'gen/keep': '', 'gen/.gitignore': '!*\n' },
  ],
  [
    'stars',
    {
      '.gitignore': '**/cache/**\n!**/cache/keep\n*.py[cod]\nfoo*bar?\n',
      'a/cache/x': '',
      'a/cache/keep': '',
      'm.pyc': '',
      'm.py': '',
      fooXbar1: '',
      foobar: '',
    },
  ],
  [
    'comments, blanks and escapes',
    { '.gitignore': '# no\n\n\\#yes\n\\!bang\nspace\\ \n', '#yes': '', '!bang': '', 'space ': '', '# no': '' },
  ],
  ['Windows line breaks', { '.gitignore': 'a\r\nb/\r\n', a: '', 'b/c': '', d: '' }],
  ['case', { '.gitignore': 'Makefile\n', makefile: '', Makefile: '' }],
];

describe('what .gitignore excludes is not mounted, as git itself sees it', () => {
  test.each(samples)('%s', async (_, files) => {
    const folder = await folderWith(files);
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'core.excludesFile=', '-c', 'core.quotePath=false', ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
    git('init', '-q');
    const expected = git('ls-files', '-z', '--others', '--exclude-standard').split('\0').slice(0, -1).sort();
    expect(await mounted(folder)).toEqual(expected);
  });

  test('rules of the repository around the mounted folder apply as well', async () => {
    const top = await folderWith({
      '.gitignore': 'dist\n/pkg/a/local\n',
      'pkg/a/dist/x': '',
      'pkg/a/local': '',
      'pkg/a/src/local': '',
    });
    execFileSync('git', ['init', '-q'], { cwd: top });
    expect(await mounted(join(top, 'pkg/a'))).toEqual(['src/local']);
  });

  test('but not rules of a parent folder that is not a repository', async () => {
    const top = await folderWith({ '.gitignore': '*\n', 'a/x': '' });
    expect(await mounted(join(top, 'a'))).toEqual(['x']);
  });

  test('a pattern that is meant to be slow is matched quickly', async () => {
    const evil = `${'*a'.repeat(40)}b`;
    const folder = await folderWith({ '.gitignore': `${evil}\n`, ['a'.repeat(200)]: '' });
    const cpuMs = await cpuTimeOf(async () => {
      expect(await mounted(folder)).toHaveLength(2);
    });
    expect(cpuMs).toBeLessThan(2_000);
  });
});
