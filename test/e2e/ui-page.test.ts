import type { Page } from 'playwright-core';
import { createBaton, type RunHandle } from '../../client';
import { refuse, say, useTool } from '../../testing/scripted-model';
import { batch, reasonOf } from '../support/batches';
import { describeInBrowser, screenshot } from '../support/browser';
import { byDepth } from '../support/delegation-script';
import { Harness } from '../support/harness';
import { closeBrowser, type OpenPage, openPage } from '../support/ui/detail-page';
import { decide } from '../support/ui/press';
import { harnessSource } from '../support/ui/real-source';
import { forkWorker, kill } from '../support/worker-process';

describeInBrowser('a real run in the page', () => {
  let harness: Harness;
  let run: RunHandle;
  let open: OpenPage;
  let page: Page;
  let isRefused = true;

  beforeAll(async () => {
    const script = byDepth(
      (call) => {
        if (call.turn === 0) return useTool('dispatch_subagents', batch(['one', 'two']), { text: 'Two **helpers**.' });
        if (call.turn === 1) return useTool('write_artifact', { name: 'PLAN.md', content: '# Plan\n\n1. Read' });
        return say('All done.');
      },
      (call) => (isRefused && reasonOf(call).includes('two') ? refuse() : say(`Fine: ${reasonOf(call)}`)),
    );
    harness = await Harness.start(script, { replayed: false });
    run = await createBaton(harness.client, harness).startRun({
      goal: 'Look around.',
      onFailure: 'hold',
      approve: [{ tool: 'write_artifact', reason: 'It is published.' }],
    });
    open = await openPage(harnessSource(harness), run.runId);
    page = open.page;
  });
  afterAll(async () => {
    await open.close();
    await closeBrowser();
    await harness.close();
  });

  test('an incident shows everywhere, and is answered by clicking through the crash of a worker', async () => {
    await page.getByRole('treeitem', { name: /needs you, Model\.Refused/ }).waitFor();
    await page.locator('.needs-you').first().waitFor();
    // Runs of other tests on this server may wait as well.
    expect(await page.title()).toMatch(/^\([1-9]\d*\) Look around/);
    await screenshot(page, 'ui-incident-live');

    await page.getByRole('treeitem', { name: /needs you, Model\.Refused/ }).click();
    const card = page.locator('[data-incident="i1"]');
    await card.getByText('Model.Refused').first().waitFor();
    await card.locator('.decision-buttons .button:not([aria-disabled])').first().waitFor();
    await card.getByLabel('Note (optional)').fill('Try again.');

    // Another process takes the place of the run's worker, and dies before it can answer.
    const worker = await forkWorker(harness);
    await harness.stopWorker();
    await kill(worker);
    await card.locator('.decision-buttons').getByRole('button', { name: 'Retry', exact: true }).click();
    await card.getByText('retry sent at').waitFor();
    expect(await card.getByText('recorded').count()).toBe(0);

    // The page says that nobody is there, until somebody is.
    const gap = page.getByText(/No worker answers on task queue “.+”.*Start one: baton worker/);
    await gap.waitFor();
    await page.getByText('Nobody answers for the agents.').first().waitFor();
    await screenshot(page, 'ui-no-worker');
    isRefused = false;
    await harness.startWorker();
    await gap.waitFor({ state: 'detached' });
    // The agent gets the decision whether or not the page has waited for its answer.
    await decide(card, 'Retry');
    await card.filter({ hasText: /by ada: Try again\.|ada decided "retry" .*\(Try again\.\)/ }).waitFor();
  });

  test('a call is approved by clicking, and the conversation shows what became of it', async () => {
    await open.go('');
    const card = page.locator('[data-incident="i1"]');
    await card.getByRole('heading', { name: 'Wants to call write_artifact' }).waitFor();
    await card.locator('.json-text', { hasText: '1. Read' }).waitFor();
    await screenshot(page, 'ui-approval-live');
    await decide(card, 'Approve');
    await page.locator('.turn .markdown', { hasText: 'All done.' }).waitFor();
    await page.locator('.agent-facts .badge', { hasText: 'completed' }).waitFor();
    await page.locator('.mark-decision', { hasText: 'approve' }).waitFor();
    await page.locator('.call-done', { hasText: 'PLAN.md' }).waitFor();
    await open.go('', 'tab=artifacts&f=PLAN.md');
    await page.locator('.artifact-text li', { hasText: 'Read' }).waitFor();
    await open.go('', 'tab=prompt');
    await page.getByText('this text has this hash').waitFor();
    await screenshot(page, 'ui-prompt-live');
    // While no worker answers, a decision may take too long for the page.
    expect(open.problems.filter((problem) => !/ 503 .*\/decide/.test(problem))).toEqual([]);
  });
});
