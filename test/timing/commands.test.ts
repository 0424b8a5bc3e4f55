import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, scriptByTurn, useTool } from '../../testing/scripted-model';
import { closeRunners, CommandRunner } from '../activities/command/support';
import { ToolRunner } from '../activities/tool/builtin/support';
import { cpuTimeOf } from '../support/cpu-time';
import { Harness } from '../support/harness';
import { processesNamed } from '../support/processes';
import { describeInSandbox } from '../support/sandbox';
import { until } from '../support/until';

/** Copies a folder of folders, each file with one call. */
function copyFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    mkdirSync(join(to, name));
    for (const file of readdirSync(join(from, name))) copyFileSync(join(from, name, file), join(to, name, file));
  }
}

describeInSandbox('commands are quick', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-commands-timing-'));
  });
  afterAll(async () => {
    await closeRunners();
    await rm(folder, { recursive: true, force: true });
  });

  test('a workspace of 5,000 files is ready in less than a second the second time, for any agent', async () => {
    const root = join(folder, 'large');
    for (let index = 0; index < 50; index += 1) {
      await mkdir(join(root, `folder-${index}`), { recursive: true });
      for (let file = 0; file < 100; file += 1)
        await writeFile(join(root, `folder-${index}`, `${file}.js`), `// ${index}/${file}\n`.repeat(100));
    }
    const runner = await CommandRunner.over(await ToolRunner.over(root));
    const took = async (what: string): Promise<number> => {
      const since = Date.now();
      // Whatever else the machine does, this is what the files cost.
      const cpu = await cpuTimeOf(async () => {
        expect((await runner.run('find . -type f | wc -l')).message).toContain('5000\n');
      });
      process.stderr.write(`5,000 files ${what}: ${Date.now() - since} ms, ${Math.round(cpu)} ms of the processor\n`);
      return cpu;
    };
    await took('for the first time');
    expect(await took('in the same folder')).toBeLessThan(1_000);
    // Another agent has another folder, with copies from the cache: of the store, only the lists of files are read again.
    const reads = jest.spyOn(runner.files.store, 'get');
    runner.files.agent = 'run/other';
    const cpu = await took('in another folder');
    expect(reads.mock.calls.length).toBeLessThan(100);
    // A machine whose caches of the file system are full takes seconds to create 5,000 files, whoever does it.
    const plain = await cpuTimeOf(() => {
      copyFiles(root, join(folder, 'plain'));
    });
    process.stderr.write(`5,000 files copied by nobody but the system: ${Math.round(plain)} ms of the processor\n`);
    expect(cpu).toBeLessThan(Math.max(1_000, 2 * plain));
  });

  test('a run that is cancelled ends its command within 5 seconds', async () => {
    const harness = await Harness.start(
      scriptByTurn(useTool('run_command', { command: 'trap "" TERM; sleep 86400.5; sleep 86400.5' }), say('Done.')),
      { commands: { scratchDir: join(folder, 'scratch') } },
    );
    try {
      const handle = await harness.startRun({ commands: {} });
      const isRunning = (): boolean => processesNamed('sleep 86400.5').length > 0;
      await until(() => (isRunning() ? true : undefined));
      const since = Date.now();
      await handle.cancel();
      await until(() => (isRunning() ? undefined : true));
      const took = Date.now() - since;
      process.stderr.write(`A cancelled command was gone after ${took} ms\n`);
      expect(took).toBeLessThan(5_000);
      await expect(handle.result()).rejects.toThrow();
    } finally {
      await harness.close();
    }
  });
});
