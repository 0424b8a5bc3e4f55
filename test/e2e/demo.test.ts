import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type RunningCommand, startBaton } from '../cli/support/process';
import { browserPatienceMs, describeInBrowser, launchBrowser, screenshot } from '../support/browser';
import { collectProblems } from '../support/ui/page-problems';
import { until } from '../support/until';

describe('demo', () => {
  let folder: string;
  let demo: RunningCommand;
  const surroundings = (): Parameters<typeof startBaton>[1] => ({
    cwd: folder,
    env: { BATON_STATE_DIR: join(folder, 'state') },
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-demo-'));
    demo = startBaton(['demo'], surroundings());
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describeInBrowser('watched in the page', () => {
    let browser: Browser;
    let ui: RunningCommand;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(async () => {
      await browser.close();
      await ui.kill('SIGINT');
    });

    test('every story appears in the open list, and its states change there', async () => {
      await demo.printed('An agent whose worker is killed\n  run ');
      ui = startBaton(['ui', '--no-open', '--port', '0'], surroundings());
      await ui.said('Stop with Ctrl-C.');
      const [address] = /http:\S+/.exec(`${ui.stdout}${ui.stderr}`)!;
      const page = await browser.newPage();
      page.setDefaultTimeout(browserPatienceMs);
      const problems: string[] = [];
      collectProblems(page, problems);
      await page.goto(address);
      await page.locator('[data-run]').first().waitFor();
      await page.evaluate(recordStates);
      // Its last story needs a server with other code.
      await until(() => demo.stdout.includes('New workflow code beside a run in progress') || undefined, 180_000);
      const told = [...demo.stdout.matchAll(/Web UI: \S+run%2F(\S+)/g)].map(([, id]) => id!);
      expect(told.length).toBeGreaterThan(12);
      for (const id of told) await page.locator(`[data-run="${id}"]`, { hasText: /completed|failed/ }).waitFor();
      await screenshot(page, 'demo-list');
      const seen = await page.evaluate<string[]>('[...seen]');
      expect(seen.some((state) => state.endsWith(' running'))).toBe(true);
      expect(problems).toEqual([]);
    }, 300_000);
  });

  test('runs without an API key, and every claim holds', async () => {
    const { exitCode, stdout, stderr } = await demo.ended;
    expect({ exitCode, stdout, stderr }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^(\d+) of \1 claims held/m) as unknown,
    });
    expect(stdout).toContain('a scripted model on this machine answers');
    expect(stdout).toContain('An agent whose worker is killed');
    expect(stdout).toContain('An agent that delegates');
    expect(stdout).toContain('A delegation that waits for an operator');
    const claims = stdout.split('\n').filter((line) => line.startsWith('✓'));
    expect(claims.length).toBeGreaterThanOrEqual(30);
    expect(stdout).not.toMatch(/^✗/m);
  }, 300_000);
});

/** Notes in `seen` every state of every run that the list shows from now on. */
const recordStates = `
  const note = () => {
    for (const row of document.querySelectorAll('[data-run]'))
      seen.add(row.dataset.run + ' ' + row.querySelector('.run-state').textContent);
  };
  window.seen = new Set();
  note();
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
`;
