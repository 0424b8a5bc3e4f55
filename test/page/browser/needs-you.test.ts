import type { Page } from 'playwright-core';
import { describeInBrowser, screenshot } from '../../support/browser';
import { generatedId } from '../../support/ui/generated-run';
import { PageTester, rowOf, visit, waitFor } from '../support/page-tester';

/** Names of the bar's button and its link that are not wholly on the screen. */
const outOfView = `[document.querySelector('.needs-you'), ...document.querySelectorAll('.needs-you :is(a, button)')]
  .filter((e) => e.checkVisibility())
  .filter((e) => { const { top, left, bottom, right } = e.getBoundingClientRect(); return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth; })
  .map((e) => e.textContent)`;

/** Scrolls everything that a reader can scroll, and returns how much that was. */
const scrollAll = (part: number): string => `[document.scrollingElement, ...document.querySelectorAll('*')]
  .filter((e) => e.scrollHeight > e.clientHeight + 1 && !['hidden', 'clip'].includes(getComputedStyle(e).overflowY))
  .map((e) => { e.scrollTop = (e.scrollHeight - e.clientHeight) * ${part}; return e.scrollTop; })
  .reduce((sum, each) => sum + each, 0)`;

describeInBrowser('the bar that says who needs you', () => {
  let tester: PageTester;
  beforeAll(async () => {
    tester = await PageTester.start(
      { runId: 'r-waits', agents: 300, batch: 100, turns: 9_000, needsYou: 2, running: 20 },
      ...Array.from({ length: 60 }, (_, index) => ({ runId: `r-other-${index}`, agents: 2, batch: 0 })),
    );
  });
  afterAll(() => tester.close());
  afterEach(async () => {
    await tester.closePages();
    expect(tester.trouble.splice(0)).toEqual([]);
  });

  const expectInView = async (page: Page): Promise<void> => {
    await page.locator('.needs-you', { hasText: /2 agents need you|1 more/ }).waitFor();
    for (const part of [0, 0.5, 1]) {
      await page.evaluate(scrollAll(part));
      expect([page.url(), part, await page.evaluate(outOfView)]).toEqual([page.url(), part, []]);
    }
  };

  test.each([390, 900, 1440])('is in view at %d px, in every tab and however far is scrolled', async (width) => {
    const page = await tester.open('#/', { width, height: 700 });
    await page.locator('[data-run=r-waits]').waitFor();
    await expectInView(page);
    expect(await page.evaluate(scrollAll(1))).toBeGreaterThan(300);
    await visit(page, '#/r/r-waits');
    await page.locator(rowOf('')).waitFor();
    await expectInView(page);
    for (const tab of ['conversation', 'prompt', 'files', 'artifacts', 'budget', 'events']) {
      await visit(page, `#/r/r-waits/${generatedId(40)}?tab=${tab}`);
      await page.locator(`.tab-panel.tab-${tab} > *`).first().waitFor();
      await expectInView(page);
    }
    await screenshot(page, `needs-you-${width}`);
  });

  test('leads to the next one, and is in view above its card', async () => {
    const page = await tester.open('#/r/r-waits', { width: 390, height: 700 });
    await page.locator('.needs-you button').click();
    await waitFor(page, `location.hash.includes('i=')`);
    await page.locator('.incident-card, [data-incident]').first().waitFor();
    await expectInView(page);
  });

  test('leads on from incidents whose id no worker has told', async () => {
    for (const runId of ['r-other-1', 'r-other-2']) tester.source.raise(runId, { path: '', id: '' });
    const page = await tester.open('#/r/r-other-1');
    await page.locator(rowOf('')).waitFor();
    await waitFor(page, `document.title.startsWith('(4)')`);
    await page.keyboard.press('n');
    await waitFor(page, `location.hash.startsWith('#/r/r-waits')`);
  });
});
