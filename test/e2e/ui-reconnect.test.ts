import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createBaton, type RunHandle } from '../../client';
import type { RunEvent } from '../../client/event/record';
import { eventWords } from '../../cli/agent/event-line';
import { createGate, say, useTool } from '../../testing/scripted-model';
import { baton } from '../cli/support/process';
import { batch } from '../support/batches';
import { describeInBrowser } from '../support/browser';
import { byDepth } from '../support/delegation-script';
import { Harness, testAddress } from '../support/harness';
import { closeBrowser, type OpenPage, openPage } from '../support/ui/detail-page';
import { forget, lostConnection } from '../support/ui/page-problems';
import { harnessSource } from '../support/ui/real-source';
import { until } from '../support/until';

/** Turns of the root before and while the page has no server, and in all. */
const [before, during, all] = [4, 16, 20];

describeInBrowser('a page whose server is gone while the run goes on', () => {
  let harness: Harness;
  let run: RunHandle;
  let open: OpenPage;
  const gates = { isGone: createGate(), isBusy: createGate(), isBack: createGate() };

  beforeAll(async () => {
    const script = byDepth(
      async ({ turn }) => {
        if (turn === before) await gates.isGone.opened;
        if (turn === during) {
          gates.isBusy.open();
          await gates.isBack.opened;
        }
        if (turn === 8) return useTool('dispatch_subagents', batch(['one', 'two', 'three']));
        return turn < all - 1 ? useTool('add_note', { text: `Note ${turn + 1}.` }) : say('All noted.');
      },
      ({ turn }) => (turn < 2 ? useTool('add_note', { text: 'Seen.' }) : say('Fine.')),
    );
    harness = await Harness.start(script, { replayed: false });
    run = await createBaton(harness.client, harness).startRun({ goal: 'Take many notes.' });
    open = await openPage(harnessSource(harness), run.runId);
  });
  afterAll(async () => {
    await open.close();
    await closeBrowser();
    await harness.close();
  });

  const turns = (): Promise<(string | null)[]> =>
    open.page
      .locator('.turn')
      .evaluateAll((found: readonly { getAttribute(name: string): string | null }[]) =>
        found.map((turn) => turn.getAttribute('data-turn')),
      );
  const events = (): Promise<string[]> => open.page.locator('.event .event-words').allInnerTexts();
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1));

  test('stays readable, says so, and has every turn and every event once when the server is back', async () => {
    const { page } = open;
    await page.locator(`[data-turn="${before}"]`).waitFor();
    const gone = Date.now();
    await open.disconnect();
    await page.locator('.banner.lost', { hasText: 'Not connected since' }).waitFor();
    gates.isGone.open();
    expect(await turns()).toEqual(names(before));
    await page.locator('[data-turn="2"] .turn-link').click();
    await page.locator('[data-turn="2"].outlined').waitFor();
    await page.getByRole('treeitem').first().waitFor();

    // The run continues meanwhile.
    await gates.isBusy.opened;
    await delay(Math.max(0, gone + 10_000 - Date.now()));
    expect(await turns()).toEqual(names(before));
    await open.reconnect();
    await page.locator('.banner').waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await page.locator(`[data-turn="${during}"]`).waitFor();
    gates.isBack.open();
    await run.result();
    await page.locator(`[data-turn="${all}"]`).waitFor();
    expect(await turns()).toEqual(names(all));

    const env = {
      TEMPORAL_ADDRESS: testAddress(),
      TEMPORAL_NAMESPACE: harness.client.options.namespace,
      BATON_STORE_DIR: join(harness.folder, 'store'),
    };
    const tail = await baton(['tail', run.runId, '--json'], { cwd: harness.folder, env });
    const told = tail.stdout
      .trim()
      .split('\n')
      .map((line) => eventWords(JSON.parse(line) as RunEvent));
    expect(told.length).toBeGreaterThan(all);
    await open.go('', 'tab=events');
    await until(async () => ((await events()).length >= told.length ? true : undefined));
    expect((await events()).sort()).toEqual(told.sort());
    forget(open.problems, lostConnection);
    expect(open.problems).toEqual([]);
  });
});
