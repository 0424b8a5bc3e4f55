import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, say } from '../../../testing/scripted-model';
import { openFileStore } from '../../../store/file/open-file-store';
import { until } from '../../support/until';
import { Stand } from '../support/stand';

describe('gc', () => {
  let stand: Stand;
  const ids = { young: '', old: '', running: '' };
  beforeAll(async () => {
    stand = await Stand.start(({ systemText }) =>
      systemText.includes('Wait for a person') ? fail(401) : say('Done.'),
    );
    Object.assign(ids, { young: stand.newId(), old: stand.newId(), running: stand.newId() });
    // A run that calls its model is never old: what the model says is written again and again.
    await stand.baton('run', 'Wait for a person', '--id', ids.running, '--hold');
    await Promise.all([
      stand.baton('run', 'One', '--id', ids.young, '--follow'),
      stand.baton('run', 'Two', '--id', ids.old, '--follow'),
      until(async () => (await stand.command('why', ids.running)).stdout.includes('retry') || undefined),
    ]);
    await makeOld(join(stand.folder, 'store', 'runs', ids.old));
    await makeOld(join(stand.folder, 'store', 'runs', ids.running));
  });
  afterAll(async () => {
    await stand.stopRun(ids.running);
    await stand.close();
  });

  const makeOld = async (folder: string): Promise<void> => {
    const fortyDaysAgo = new Date(Date.now() - 40 * 86_400_000);
    for (const name of await readdir(folder, { recursive: true })) {
      await utimes(join(folder, name), fortyDaysAgo, fortyDaysAgo);
    }
  };
  const stored = async (): Promise<string[]> => {
    const store = await openFileStore(join(stand.folder, 'store'));
    return (await store.listRuns()).map(({ runId }) => runId).sort();
  };
  const all = (): string[] => Object.values(ids).sort();

  test('requires a selection of runs to delete', async () => {
    const { exitCode, stderr } = await stand.command('gc');
    expect(stderr).toMatch(/^No runs selected\./);
    expect(exitCode).toBe(2);
    expect((await stand.command('gc', '--older-than', 'soon')).stderr).toMatch(
      /Must be a number followed by m, h or d/,
    );
    expect(await stand.command('gc', 'nobody')).toMatchObject({
      exitCode: 1,
      stderr: 'The store has no data of: nobody.\n',
    });
  });

  test('only lists what it would delete, until it is confirmed', async () => {
    const { stdout, stderr, exitCode } = await stand.command('gc', ids.young, ids.old);
    expect(stdout).toContain(ids.young);
    expect(stderr).toMatch(/^Would delete 2 runs, .* Add --yes to delete\.$/m);
    expect(exitCode).toBe(0);
    expect(await stored()).toEqual(all());
  });

  test('by age deletes old runs, and keeps those that have not ended', async () => {
    const { stdout } = await stand.command('gc', '--older-than', '30d', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      deleted: false,
      runs: [{ runId: ids.old }],
      kept: [{ runId: ids.running, reason: `run/${ids.running} is still running` }],
    });
    expect(await stored()).toEqual(all());
    const { stderr } = await stand.baton('gc', '--older-than', '30d', '--yes');
    expect(stderr).toContain(`Kept ${ids.running}: run/${ids.running} is still running`);
    expect(stderr).toMatch(/^Deleted 1 run, /m);
    expect(await stored()).toEqual([ids.young, ids.running].sort());
  });

  test('by id deletes that run, unless it has not ended', async () => {
    await stand.command('gc', ids.young, ids.running, '--yes');
    expect(await stored()).toEqual([ids.running]);
    expect(await stand.command('gc', ids.running, '--yes')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await stored()).toEqual([ids.running]);
  });

  test('keeps the history of a deleted run, which can still be shown', async () => {
    expect((await stand.command('show', ids.young)).stdout).toMatch(/^status +completed$/m);
  });
});
