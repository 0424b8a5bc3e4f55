import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser';
import { generatedId } from '../../support/ui/generated-run';
import { PageTester, rowOf, waitFor } from '../support/page-tester';

const running = Array.from({ length: 12 }, (_, index) => generatedId(index + 1));

/** Memory of the server, which is in this process, after what can be freed has been freed, in megabytes. */
function serverMemory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_000_000;
}

/** Makes a page count as hidden or shown, as the browser does when another tab is chosen. */
function hide(page: Page, isHidden: boolean): Promise<unknown> {
  return page.evaluate(
    `Object.defineProperty(document, 'hidden', { get: () => ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
  );
}

describeInBrowser('streams of pages', () => {
  let tester: PageTester;
  beforeAll(async () => {
    tester = await PageTester.start(
      { runId: 'r-tabs', agents: 40, batch: 30, running: 12 },
      { runId: 'r-flood', agents: 1_000, batch: 0, running: 999 },
    );
  });
  afterAll(() => tester.close());
  afterEach(async () => {
    await tester.closePages();
    expect(tester.trouble.splice(0)).toEqual([]);
  });

  test('of eight tabs are at most four, of hidden ones none, and every tab is up to date', async () => {
    const first = await tester.open('#/r/r-tabs');
    const context = first.context();
    const open = new Set<unknown>();
    context.on('request', (request) => {
      if (request.url().includes('/api/stream')) open.add(request);
    });
    context.on('requestfinished', (request) => open.delete(request));
    context.on('requestfailed', (request) => open.delete(request));
    const pages = [first];
    for (let tab = 2; tab <= 8; tab++) {
      const page = tester.watch(await context.newPage());
      await page.goto(`${tester.server.origin}/#/r/r-tabs/${running[tab]}`);
      await page.locator(rowOf(running[tab] ?? '')).waitFor();
      pages.push(page);
    }
    expect(open.size).toBeLessThanOrEqual(4);
    const completed = async (shown: readonly Page[]): Promise<void> => {
      const { agents } = tester.source.view('r-tabs');
      const count = agents.filter(({ batch, state }) => batch !== null && state === 'completed').length;
      const words = `document.querySelector('.row.batch').getAttribute('aria-label').includes('${count} completed')`;
      for (const page of shown) await waitFor(page, words);
    };
    tester.source.complete('r-tabs', running.slice(10, 11));
    await completed(pages);

    // The reader goes to the last tab. The hidden ones need their stream no longer.
    for (const page of pages.slice(0, -1)) await page.clock.install();
    for (const page of pages.slice(0, -1)) await hide(page, true);
    for (const page of pages.slice(0, -1)) await page.clock.runFor(31_000);
    const [last = first] = pages.slice(-1);
    tester.source.complete('r-tabs', running.slice(11, 12));
    await completed([last]);
    expect([...open].map((request) => (request as { url(): string }).url())).toEqual([
      expect.stringContaining(`focus=${running[8]}`),
    ]);
    for (const page of pages.slice(0, -1)) await hide(page, false);
    for (const page of pages.slice(0, -1)) await page.clock.runFor(4_000);
    await completed(pages);
  });

  test('cost a server nothing while a page is stopped, and the page is right afterwards', async () => {
    const page = await tester.open('#/r/r-flood');
    await page.locator(rowOf('')).waitFor();
    const { agents } = tester.source.view('r-flood');
    const flood = async (rounds: number): Promise<void> => {
      for (let round = 1; round <= rounds; round++) {
        const detail = `round ${round} ${'of many changes '.repeat(30)}`;
        tester.source.push('r-flood', { rows: agents.slice(1).map(({ path }) => ({ path, detail, turn: round })) });
        await new Promise((resolve) => setTimeout(resolve, 120));
      }
    };
    await flood(2);
    const before = serverMemory();
    // 30 times 999 agents, half a kilobyte each: 15 MB, in 30 updates.
    const stopped = page.evaluate('{ const end = Date.now() + 4_000; while (Date.now() < end); }');
    await flood(30);
    expect(serverMemory() - before).toBeLessThan(20);
    await stopped;
    await waitFor(
      page,
      `document.querySelector('[role=treeitem][data-key="agent:${agents[5]?.path ?? ''}"]')?.getAttribute('aria-label').includes('turn 30') ?? false`,
    );
    const shown = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.row.agent')].map((row) => row.getAttribute('aria-label')).filter((name) => name.includes('Read package'))`,
    );
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.filter((name) => !name.includes('turn 30'))).toEqual([]);
  });
});
