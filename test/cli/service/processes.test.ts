import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '../../../testing/scripted-model';
import { browserPatienceMs, describeInBrowser, launchBrowser } from '../../support/browser';
import { collectProblems } from '../../support/ui/page-problems';
import { until } from '../../support/until';
import { baton, isAlive, startBaton, type RunningCommand, type Surroundings } from '../support/process';
import { Stand } from '../support/stand';

describe('worker', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await Stand.start(() => say('Done.'), { withWorker: false });
  });
  afterAll(() => stand.close());

  test.each(['SIGTERM', 'SIGINT'] as const)('works, and exits cleanly on %s', async (signal) => {
    const worker = stand.startBaton('worker');
    await worker.said('Worker on task queue');
    expect(await stand.baton('run', 'Say so', '--follow')).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
    expect(await worker.kill(signal)).toMatchObject({ exitCode: 0, signal: null, stdout: '' });
  });
});

describe('dev', () => {
  let folder: string;
  let surroundings: Surroundings;
  let running: RunningCommand | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-dev-'));
    surroundings = { cwd: folder, env: {} };
    await mkdir(join(folder, 'empty'));
  });
  afterEach(() => running?.kill('SIGTERM'));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const serverPid = async (): Promise<number> => {
    const record = await readFile(join(folder, '.baton', 'state', 'temporal', 'server.json'), 'utf8');
    return (JSON.parse(record) as { pid: number }).pid;
  };
  const isGone = (pid: number): Promise<true> => until(() => !isAlive(pid) || undefined);

  test('is all that a run needs, can be shared by a second one, and stops its server', async () => {
    const first = (running = startBaton(['dev', '--scripted'], surroundings));
    await first.said('Ready.');
    expect(first.stderr).toContain('The model is scripted');
    const pid = await serverPid();

    const second = startBaton(['dev', '--scripted'], surroundings);
    await second.said('Ready.');
    expect(await serverPid()).toBe(pid);
    expect(await first.kill('SIGTERM')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(isAlive(pid)).toBe(true);

    const followed = await baton(['run', 'Look around', '-w', 'empty', '--follow'], surroundings);
    expect(followed).toMatchObject({ exitCode: 0, stdout: 'I found 0 files and read 0 of them.\n' });
    expect(followed.stderr).toMatch(/^Web UI: http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/run%2F/m);

    expect(await second.kill('SIGINT')).toMatchObject({ exitCode: 0, stdout: '' });
    await isGone(pid);
  });

  describeInBrowser('in a browser', () => {
    test('shows its runs at the address that it prints, until it stops', async () => {
      const dev = (running = startBaton(['dev', '--scripted'], surroundings));
      await dev.said('Ready.');
      const [, address = ''] = /^Runs in a browser, live: (\S+)$/m.exec(dev.stderr) ?? [];
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(browserPatienceMs);
        const problems: string[] = [];
        collectProblems(page, problems);
        await page.goto(address);
        await page.locator('.server', { hasText: /127\.0\.0\.1:\d+/ }).waitFor();
        const { stdout } = await baton(['run', 'Look around again', '-w', 'empty'], surroundings);
        await page.locator('[data-run]', { hasText: 'Look around again' }).getByRole('link').first().click();
        await page.locator('.turn .markdown', { hasText: 'I found 0 files and read 0 of them.' }).waitFor();
        expect(page.url()).toContain(stdout.trim());
        expect(problems).toEqual([]);
        await dev.kill('SIGINT');
        await page.locator('.banner.lost').waitFor();
      } finally {
        await browser.close();
      }
    });
  });

  test('also stops its server when interrupted during startup', async () => {
    const dev = (running = startBaton(['dev', '--scripted'], surroundings));
    const pid = await until(() => serverPid().catch(() => undefined));
    const { exitCode } = await dev.kill('SIGINT');
    expect([0, 130]).toContain(exitCode);
    await isGone(pid);
  });
});
