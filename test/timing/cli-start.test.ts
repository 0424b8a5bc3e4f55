import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Harness, startHarness } from '../../testing/harness';
import { say } from '../../testing/scripted-model';
import { batonBin } from '../support/paths';

const spy = `
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(String((user + system) / 1000));
});`;

/** As many runs as `baton list` shows. */
const listed = 20;

describe('commands start quickly', () => {
  let harness: Harness;
  let folder: string;
  let runId: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-start-'));
    await writeFile(join(folder, 'spy.js'), spy);
    // On a server of its own: what a list costs depends on what other tests have left there.
    harness = await startHarness({ script: () => say('Done.') });
    for (let run = 0; run < listed; run += 1) ({ runId } = await harness.run({ goal: `Look around, part ${run}.` }));
  });
  afterAll(async () => {
    await harness.close();
    await rm(folder, { recursive: true });
  });

  /** Processor time of a program, in milliseconds. */
  const cpuOf = async (...args: readonly string[]): Promise<number> => {
    const env = {
      ...process.env,
      TEMPORAL_ADDRESS: harness.address,
      BATON_STORE_DIR: join(harness.folder, 'store'),
      BATON_CACHE_DIR: join(folder, 'cache'),
    };
    const command = ['--require', join(folder, 'spy.js'), ...args];
    return Number((await promisify(execFile)(process.execPath, command, { cwd: folder, env })).stderr);
  };

  test.each<[string, number, (id: string) => string[]]>([
    ['--version', 3, () => ['--version']],
    ['list', 8, () => ['list']],
    ['show', 8, (id) => ['show', id]],
  ])('baton %s takes at most %d times the processor time of node', async (_, limit, args) => {
    await cpuOf(batonBin, ...args(runId));
    const ratios: number[] = [];
    // Pairs, because other load makes both slower, and the longer program more so. The pair with the least of it counts.
    for (let pair = 0; pair < 7; pair += 1) {
      const node = await cpuOf('-e', '0');
      ratios.push((await cpuOf(batonBin, ...args(runId))) / node);
    }
    ratios.sort((a, b) => a - b);
    process.stderr.write(`baton ${args(runId).join(' ')}: ${ratios.map((ratio) => ratio.toFixed(1)).join(' ')}\n`);
    expect(ratios[0]).toBeLessThanOrEqual(limit);
  });
});
