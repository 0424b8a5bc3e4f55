import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Command, CommanderError } from 'commander';
import type { CliContext } from '../../../cli/context';
import { describeCommand, helpOnlyCommand } from '../../../cli/help';
import { createProgram } from '../../../cli/program';
import { batonBin, projectRoot } from '../../support/paths';

/** Prints, when the program ends, which packages and how many files it has loaded, and its processor time in milliseconds. */
const spy = `
process.on('exit', () => {
  const packages = Object.keys(require.cache).map((path) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(path)?.[1] ?? 'baton');
  const { user, system } = process.cpuUsage();
  process.stderr.write(JSON.stringify({ packages: [...new Set(packages)], files: packages.length, cpuMs: (user + system) / 1000 }));
});`;

interface Loaded {
  readonly packages: readonly string[];
  /** Number of files. */
  readonly files: number;
  readonly cpuMs: number;
}

describe('a command loads only what it uses', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-test-'));
  const spyPath = join(folder, 'spy.js');
  beforeAll(() => {
    writeFileSync(spyPath, spy);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function loadedBy(...args: readonly string[]): Promise<Loaded> {
    const command = ['--require', spyPath, batonBin, ...args];
    // Nobody listens there, so that commands which need a server end with an error.
    const env = { ...process.env, BATON_CACHE_DIR: join(folder, 'cache'), TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const ended = promisify(execFile)(process.execPath, command, { cwd: projectRoot, env });
    const { stderr } = await ended.catch((error: unknown) => error as { stderr: string });
    return JSON.parse(stderr.split('\n').at(-1) ?? '') as Loaded;
  }

  const helpArguments = [['--version'], ['--help'], ['run', '--help'], ['skills', 'check', '--help'], ['help', 'tail']];

  test.each(helpArguments.map((args) => [args.join(' '), args] as const))('baton %s', async (_, args) => {
    expect([...(await loadedBy(...args)).packages].sort()).toEqual(['baton', 'commander']);
  });

  test('baton skills list: nothing of Temporal', async () => {
    const { packages } = await loadedBy('skills', 'list');
    expect(packages).toContain('yaml');
    expect(packages.filter((name) => name.startsWith('@temporalio/') || name.startsWith('@anthropic'))).toEqual([]);
  });

  test.each([
    ['list', 'baton list'],
    ['show', 'baton show r1'],
  ])('baton %s: one bundle, and no other file of a library', async (_, line) => {
    const { packages, files } = await loadedBy(...line.split(' ').slice(1));
    expect(packages).toEqual(['baton']);
    expect(files).toBeLessThan(12);
  });

  test('compiled code is kept for the next start of the same command, and replaced when the bundle changes', async () => {
    const cached = async (): Promise<string[]> => {
      await loadedBy('list');
      return readdirSync(join(folder, 'cache', 'code')).filter((name) => name.startsWith('list-'));
    };
    const [first = '', ...others] = await cached();
    expect(others).toEqual([]);
    const path = join(folder, 'cache', 'code', first);
    const { mtimeMs } = statSync(path);
    expect(await cached()).toEqual([first]);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
    renameSync(path, join(folder, 'cache', 'code', first.replace(/.{16}$/, '0'.repeat(16))));
    expect(await cached()).toEqual([first]);
    writeFileSync(path, 'not compiled code');
    expect(await cached()).toEqual([first]);
    expect(statSync(path).size).toBeGreaterThan(100_000);
  });

  test.each(['--help', '--version'])('baton %s takes at most 150 ms of processor time', async (option) => {
    // A busy machine makes single runs slower, also in processor time.
    const times: number[] = [];
    for (let run = 0; run < 8 && Math.min(...times, Infinity) > 150; run += 1) {
      times.push((await loadedBy(option)).cpuMs);
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(150);
  });
});

test('help that is printed without loading the commands is the same as theirs', async () => {
  // No command runs, so an empty context is enough.
  const program = await createProgram({ terminal: {} } as CliContext);
  const helpOnly = helpOnlyCommand(JSON.parse(JSON.stringify(describeCommand(program))) as never);
  const names = program.commands.flatMap((command) => [
    [command.name()],
    ...command.commands.map((each) => [command.name(), each.name()]),
  ]);
  expect(names.length).toBeGreaterThan(30);
  for (const path of [[], ...names]) expect(helpOf(helpOnly, path)).toEqual(helpOf(program, path));
});

function helpOf(program: Command, path: readonly string[]): string {
  const command = path.reduce(
    (parent, name) => parent.commands.find((each) => each.name() === name) ?? parent,
    program,
  );
  let text = '';
  command.exitOverride().configureOutput({ writeOut: (part) => (text += part) });
  try {
    command.help();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return text;
}
