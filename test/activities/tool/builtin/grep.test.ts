import { cpuTimeOf } from '../../../support/cpu-time';
import { globFilter, grepTool } from '../../../../activities/tool/builtin/grep';
import { compilePattern, searchFiles } from '../../../../activities/tool/builtin/grep-search';
import type { WorkspaceFile, WorkspaceView } from '../../../../domain/workspace';
import { ToolRunner } from './support';

const project = {
  'README.md': '# Gauge\nreads the gauge\n',
  'src/gauge.ts': 'export class Gauge {}\r\nconst gauge = new Gauge();\n',
  'src/lib/util.ts': 'export const noop = () => {};\n',
  'test/gauge.test.ts': 'import { Gauge } from "../src/gauge";\n',
  'logo.png': Buffer.from([0, ...Buffer.from('Gauge')]),
};

describe('grep', () => {
  test('returns path, line number and line of every match, sorted by path', async () => {
    const runner = await ToolRunner.with(project);
    expect(await runner.say(grepTool, { pattern: 'Gauge\\b' })).toBe(
      [
        'README.md:1: # Gauge',
        'src/gauge.ts:1: export class Gauge {}',
        'src/gauge.ts:2: const gauge = new Gauge();',
        'test/gauge.test.ts:1: import { Gauge } from "../src/gauge";',
      ].join('\n'),
    );
  });

  test('searches a folder, a file, or files of a kind', async () => {
    const runner = await ToolRunner.with(project);
    const paths = async (more: Record<string, string | boolean>): Promise<string[]> => {
      const found = (await runner.say(grepTool, { pattern: 'gauge', ignore_case: true, ...more })).split('\n');
      return [...new Set(found.map((line) => line.split(':')[0] ?? ''))];
    };
    expect(await paths({ path: 'src' })).toEqual(['src/gauge.ts']);
    expect(await paths({ path: 'README.md' })).toEqual(['README.md']);
    expect(await paths({ glob: '*.ts' })).toEqual(['src/gauge.ts', 'test/gauge.test.ts']);
    expect(await paths({ glob: '!*.test.ts' })).toEqual(['README.md', 'src/gauge.ts']);
    expect(await runner.refusal(grepTool, { pattern: 'x', path: 'logo.png' })).toMatch(/binary/);
    expect(await runner.refusal(grepTool, { pattern: 'x', path: 'none' })).toMatch(/does not exist/);
  });

  test('sees changes that are not folded yet', async () => {
    const runner = await ToolRunner.with(project);
    const { hash, bytes } = await runner.store.put(Buffer.from('brand new gauge'), 'text/plain');
    runner.changes.push({ path: 'new.md', expectedHash: null, newHash: hash, bytes });
    expect(await runner.say(grepTool, { pattern: 'brand new' })).toBe('new.md:1: brand new gauge');
  });

  test('anchors at lines, whatever their breaks', async () => {
    const runner = await ToolRunner.with({ a: 'one\r\ntwo\nthree' });
    expect(await runner.say(grepTool, { pattern: '^(one|two|three)$' })).toBe('a:1: one\na:2: two\na:3: three');
  });

  test('says when nothing was found, and when there are more matches', async () => {
    const runner = await ToolRunner.with({ a: 'x\n'.repeat(500) });
    expect(await runner.say(grepTool, { pattern: 'nothing' })).toBe('No matches in 1 file.');
    const found = (await runner.say(grepTool, { pattern: 'x' })).split('\n');
    expect(found).toHaveLength(101);
    expect(found.at(-1)).toBe('[more than 100 matches; narrow the pattern, the path or the glob]');
    expect((await runner.say(grepTool, { pattern: 'x', max_matches: 500 })).split('\n')).toHaveLength(500);
  });

  test('shows the part of a long line around the match', async () => {
    const runner = await ToolRunner.with({ a: `${'a'.repeat(5_000)}NEEDLE${'b'.repeat(5_000)}` });
    const line = await runner.say(grepTool, { pattern: 'NEEDLE' });
    expect(line).toContain('aaNEEDLEbb');
    expect(line.length).toBeLessThan(320);
  });

  test('says so when a line is too long to be searched as a whole', async () => {
    const runner = await ToolRunner.with({ a: `${'a'.repeat(25_000)}NEEDLE` });
    expect(await runner.say(grepTool, { pattern: 'NEEDLE' })).toBe(
      'No matches in 1 file.\n[only the first 20000 characters of very long lines were searched]',
    );
  });

  test('explains a pattern that it cannot use', async () => {
    const runner = await ToolRunner.with(project);
    for (const pattern of ['(', '(?=x)', '(a)\\1', 'x{2000}', 'x'.repeat(501)]) {
      expect(await runner.refusal(grepTool, { pattern })).toMatch(/RE2 syntax|longer than 500/);
    }
  });

  test.each([
    '(a+)+$',
    '(a|aa)+$',
    '(.*a){20}[bc]',
    '([a-z]+)*[A-Z]',
    '(?:a?){100}a{100}[bc]',
    '(a*)*[bc]',
    '^(\\w+\\s?)*[$!]',
  ])('is not slowed down by a malicious pattern: %s', async (pattern) => {
    const runner = await ToolRunner.with({ evil: `${'a'.repeat(20_000)}!\n`.repeat(5) });
    expect(await cpuTimeOf(() => runner.say(grepTool, { pattern }))).toBeLessThan(3_000);
  });

  test('does not block other work, and stops when the run is cancelled', async () => {
    const runner = await ToolRunner.with({ a: 'x\n'.repeat(1_000) });
    const stop = new AbortController();
    const view = runner.context.workspace!;
    const search = searchFiles(view, filesOf(view), takes(5), { maxMatches: 10, signal: stop.signal });
    // A timer only fires while the search lets other work run, and the search takes at least five seconds.
    setTimeout(() => {
      stop.abort(new Error('cancelled'));
    }, 60);
    await expect(search).rejects.toThrow('cancelled');
  });

  test('stops when it takes too long, and says so', async () => {
    const runner = await ToolRunner.with({ a: 'x\n'.repeat(100), b: 'x' });
    const view = runner.context.workspace!;
    const found = await searchFiles(view, filesOf(view), takes(20), {
      maxMatches: 10,
      signal: runner.signal,
      maxMs: 100,
    });
    expect(found).toMatchObject({ outOfTime: true, files: 1, lines: [] });
  });

  test('finds the same matches as JavaScript, for patterns that both support', () => {
    for (const [pattern, line] of [
      ['a.c', 'xxabc'],
      ['\\d{3}-\\d+', 'call 555-1234'],
      ['^\\s*#', '  # x'],
      ['(?i)GaUge', 'the gauge'],
      ['[^a-z]z', 'az Zz'],
    ] as const) {
      const native = new RegExp(pattern.replace('(?i)', ''), pattern.startsWith('(?i)') ? 'i' : '').exec(line);
      expect(compilePattern(pattern, false)(line)).toBe(native?.index);
    }
  });
});

describe('a glob', () => {
  test.each([
    ['*.ts', 'src/a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['*.{ts,tsx}', 'src/a.tsx', true],
    ['src/**', 'src/a/b', true],
    ['src/**/*.ts', 'src/a/b.ts', true],
    ['src/**/*.ts', 'src/b.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['!*.md', 'a.md', false],
    ['!*.md', 'a.ts', true],
    ['test?.js', 'test1.js', true],
    ['[ab].txt', 'b.txt', true],
    ['#x', '#x', true],
  ])('%s and %s: %s', (glob, path, matches) => {
    expect(globFilter(glob)(path)).toBe(matches);
  });

  test.each(['x'.repeat(201), '**/a/**/b/**/c/**/d/**/e', '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'])(
    'is refused when it is too complex: %s',
    (glob) => {
      expect(() => globFilter(glob)).toThrow(/The glob/);
    },
  );

  test('that is meant to be slow is matched quickly', async () => {
    const matches = globFilter('*a*a*a*a*a*a*a*a*a*a*b');
    const cpuMs = await cpuTimeOf(() => {
      expect(matches('a'.repeat(250))).toBe(false);
    });
    expect(cpuMs).toBeLessThan(2_000);
  });
});

/** A pattern that matches no line, and takes this many milliseconds for each. */
function takes(ms: number): () => undefined {
  return () => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
}

async function* filesOf(view: WorkspaceView): AsyncGenerator<WorkspaceFile> {
  for await (const entry of view.walk('')) if (entry.kind === 'file') yield entry;
}
