import type { Page } from 'playwright-core';
import { join } from 'node:path';
import { createBaton, type RunHandle } from '../../client';
import { createGate, say, useTool } from '../../testing/scripted-model';
import { type RunningCommand, startBaton } from '../cli/support/process';
import { browserPatienceMs, describeInBrowser, launchBrowser, screenshot } from '../support/browser';
import { byDepth } from '../support/delegation-script';
import { Harness, testAddress } from '../support/harness';
import { Link } from '../support/link';
import { collectProblems, forget } from '../support/ui/page-problems';

describeInBrowser('baton ui without a Temporal server', () => {
  const gate = createGate();
  const problems: string[] = [];
  /** What ends what was started, the last one first. */
  const cleanUp: (() => unknown)[] = [];
  let harness: Harness;
  let ended: RunHandle;
  let open: RunHandle;
  let link: Link;
  let ui: RunningCommand;
  let page: Page;

  beforeAll(async () => {
    const script = byDepth(
      async ({ turn, systemText }) => {
        if (turn === 0) return useTool('add_note', { text: 'Seen.' }, { text: 'I will look around.' });
        if (systemText.includes('Wait.')) await gate.opened;
        return say('All is well.');
      },
      () => say('Fine.'),
    );
    harness = await Harness.start(script, { replayed: false });
    cleanUp.unshift(() => harness.close());
    const baton = createBaton(harness.client, harness);
    ended = await baton.startRun({ goal: 'Look around.' });
    await ended.result();
    open = await baton.startRun({ goal: 'Wait.' });
    cleanUp.unshift(() => {
      gate.open();
      return open.cancel();
    });
    // Only its port is needed for now.
    link = await Link.to(testAddress());
    cleanUp.unshift(() => link.close());
    await link.close();
    const env = {
      TEMPORAL_ADDRESS: link.address,
      TEMPORAL_NAMESPACE: harness.client.options.namespace,
      BATON_STORE_DIR: join(harness.folder, 'store'),
    };
    ui = startBaton(['ui', '--no-open', '--port', '0'], { cwd: harness.folder, env });
    cleanUp.unshift(() => ui.kill('SIGINT'));
    await ui.said('Stop with Ctrl-C.');
    const browser = await launchBrowser();
    cleanUp.unshift(() => browser.close());
    page = await browser.newPage();
    page.setDefaultTimeout(browserPatienceMs);
    collectProblems(page, problems);
  });
  afterAll(async () => {
    for (const step of cleanUp) await step();
  });

  const notice = (): ReturnType<Page['locator']> => page.locator('.notice');
  const row = (run: RunHandle): ReturnType<Page['locator']> => page.locator('.run-row', { hasText: run.runId });

  test('shows what the store has, and why it is no more', async () => {
    expect(ui.stderr).toContain(`Cannot connect to Temporal at ${link.address}`);
    expect(ui.stderr).toContain('Until then, this shows what the store has.');
    await page.goto(ui.stdout.trim());
    await notice().filter({ hasText: 'The list is from the store' }).waitFor();
    await page.getByText('no Temporal server').waitFor();
    await row(ended).filter({ hasText: 'completed' }).waitFor();
    await row(open).filter({ hasText: 'unknown' }).waitFor();
    await screenshot(page, 'ui-without-server-list');

    await row(ended).getByRole('link').first().click();
    await notice()
      .filter({ hasText: 'The Temporal server does not answer. The run is shown from the store' })
      .waitFor();
    await page.locator('.turn .markdown', { hasText: 'All is well.' }).waitFor();
    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.getByText('this text has this hash').waitFor();
    await screenshot(page, 'ui-without-server-run');
  });

  test('goes on from the server as soon as one answers, and from the store when it is lost', async () => {
    await page.evaluate(`location.hash = '#/r/${open.runId}'`);
    await page.locator('.agent-facts .badge', { hasText: 'unknown' }).waitFor();
    link = await Link.to(testAddress(), link.port);
    await ui.said(`Connected to Temporal at ${link.address}.`);
    await page.getByText('The Temporal server does not answer').waitFor({ state: 'detached' });
    await page.locator('.agent-facts .badge', { hasText: 'running' }).waitFor();
    await page.locator('.server', { hasText: link.address }).waitFor();
    await page.evaluate(`location.hash = '#/'`);
    await row(open).filter({ hasText: 'running' }).waitFor();
    expect(await notice().count()).toBe(0);

    await link.close();
    await notice().filter({ hasText: 'The Temporal server does not answer. The list is from the store' }).waitFor();
    await row(open).filter({ hasText: 'unknown' }).waitFor();
    // Who waits is not known without a server.
    forget(problems, /status of 503 .*\(\/api\/attention\)$/);
    expect(problems).toEqual([]);
  });
});
