import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/paths';
import { until } from '../support/until';

const program = join(projectRoot, 'dist', 'bench', 'main.js');
const run = promisify(execFile);

/** The figures that the program promises to print. */
const promised = [
  'fanout.isolated.100',
  'fanout.isolated.500',
  'fanout.shared.100',
  'children.1000',
  'turns.single',
  'latency.first_call',
  'history.bytes_per_turn.10',
  'history.bytes_per_turn.100',
  'history.bytes_per_turn.1000',
  'history.bytes_per_turn.1000_over_10',
  'wall_per_turn.10',
  'wall_per_turn.100',
  'wall_per_turn.1000',
  'replay.1000',
  'store.amplification',
  'compose.1mb',
  'compose.sections',
  'session.writes',
  'memory.1000_agents',
  'workspace.import.50k',
  'cli.start',
];

describe('the benchmarks', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-bench-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('all run, and print nothing but figures', async () => {
    const { stdout } = await run(process.execPath, [program, '--quick', '--json', '--counters'], {
      env: { ...process.env, TMPDIR: folder },
      maxBuffer: 64 * 1024 * 1024,
    });
    const figures = JSON.parse(stdout) as Record<string, unknown>[];
    const names = figures.map(({ name }) => name);
    expect(promised.filter((name) => !names.includes(name))).toEqual([]);
    // Baton alone, or beside the other systems where these are installed.
    expect(names.filter((name) => /^peer\.[a-z-]+\.killed_in_tool\.calls_again$/.test(String(name)))).not.toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    for (const figure of figures) {
      expect(Object.keys(figure)).toEqual(['name', 'value', 'unit', 'baseline', 'ratio', 'rounds', 'low', 'high']);
      expect(['value', 'rounds', 'low', 'high'].filter((field) => typeof figure[field] !== 'number')).toEqual([]);
    }
    // A turn leaves traces in history and in the store.
    const of = (name: string): number => Number(figures.find((figure) => figure['name'] === name)?.['value']);
    expect(of('turns.single.events')).toBeGreaterThanOrEqual(6);
    expect(of('turns.single.promises')).toBeGreaterThan(0);
    expect(of('turns.single.fsyncs')).toBeGreaterThan(0);
    expect(await readdir(folder)).toEqual([]);
  }, 900_000);

  test('refuse an unknown name', async () => {
    const failed = run(process.execPath, [program, 'turns.double']);
    await expect(failed).rejects.toThrow('turns.single');
    await expect(failed).rejects.toMatchObject({ code: 2, stdout: '' });
  });

  test('leave nothing behind when interrupted', async () => {
    const child = spawn(process.execPath, [program, 'history'], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(child, 'exit');
    // As soon as there is a store, the server runs as well.
    await until(async () => {
      const [found] = await readdir(folder);
      return found === undefined ? undefined : (await readdir(join(folder, found))).find((name) => name === 'store');
    });
    child.kill('SIGINT');
    await exited;
    expect(child.exitCode).toBe(130);
    expect(await readdir(folder)).toEqual([]);
  }, 300_000);
});
