import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser';
import { generatedId } from '../../support/ui/generated-run';
import { forget } from '../../support/ui/page-problems';
import { PageTester, rowOf, visit, waitFor } from '../support/page-tester';

describeInBrowser('places of the page', () => {
  let tester: PageTester;
  let page: Page;
  beforeAll(async () => {
    tester = await PageTester.start(
      { runId: 'r-one', agents: 60, batch: 30, running: 4, needsYou: 1, turns: 600 },
      { runId: 'r-two', goal: 'Add OAuth', agents: 3, batch: 0, isOpen: false },
    );
    page = await tester.open();
  });
  afterAll(async () => {
    await tester.close();
  });
  afterEach(() => {
    expect(tester.trouble.splice(0)).toEqual([]);
  });

  test('the printed address opens the list, loses its key, and works after a reload and in a new tab', async () => {
    await page.goto(tester.server.address());
    await page.locator('[data-run=r-one]').waitFor();
    expect(page.url()).toBe(`${tester.server.origin}/#/`);
    await page.reload();
    await page.locator('[data-run=r-two]').waitFor();
    // A middle click opens what the link names.
    const href = (await page.locator('[data-run=r-one] a').getAttribute('href')) ?? '';
    const other = tester.watch(await page.context().newPage());
    await other.goto(`${tester.server.origin}/${href}`);
    await other.locator(rowOf('')).waitFor();
    expect(other.url()).toBe(`${tester.server.origin}/#/r/r-one`);
    await other.close();
    await page.goto(tester.server.address('r-two'));
    await page.locator(rowOf('')).waitFor();
    expect(page.url()).toBe(`${tester.server.origin}/#/r/r-two`);
  });

  test('the list is filtered by its address, by chips and by words', async () => {
    await visit(page, '#/?status=needs-you');
    await waitFor(page, `document.querySelectorAll('[data-run]').length === 1`);
    expect(await page.locator('.chip[aria-current]').textContent()).toBe('Needs you1');
    await page.locator('.chip', { hasText: 'All' }).click();
    await waitFor(page, `document.querySelectorAll('[data-run]').length === 2`);
    await page.locator('#filter').fill('OAuth');
    await waitFor(page, `document.querySelectorAll('[data-run]').length === 1`);
    expect(page.url()).toContain('#/?q=OAuth');
    await page.locator('#filter').fill('nothing like this');
    await page.locator('.runs-empty').waitFor();
    await page.locator('.runs-empty a').click();
    await page.locator('[data-run=r-one]').waitFor();
  });

  test('each address shows its agent, table, search or filter', async () => {
    const path = generatedId(17);
    await visit(page, `#/r/r-one/${path}`);
    await page.locator(`${rowOf(path)}[aria-selected=true]`).waitFor();
    await waitFor(page, `document.querySelector('#detail h2')?.textContent.includes('Read package 17')`);
    await visit(page, '#/r/r-one?table=call-2&state=completed');
    await page.locator('.batch-table h2', { hasText: '25 completed of the batch of turn 2' }).waitFor();
    await visit(page, '#/r/r-one?find=package%2017');
    await page.locator('.hits a').first().waitFor();
    await page.locator('.progress', { hasText: '60 of 60 agents searched' }).waitFor();
    await visit(page, '#/r/r-one?q=status:running');
    await waitFor(page, `document.querySelectorAll('[role=treeitem]').length === 5`);
    expect(await page.locator('#filter').inputValue()).toBe('status:running');
  });

  test('going back returns to each place, with the tree where it was', async () => {
    await visit(page, '#/r/r-one');
    await page.locator(rowOf('')).waitFor();
    await page.keyboard.press('e');
    const scrollTo = (top: number): Promise<unknown> =>
      page.evaluate(`document.querySelector('.tree-scroll').scrollTop = ${top}`);
    await page.locator('[data-key$=":completed"]').first().click();
    await scrollTo(300);
    const child = page.locator('[role=treeitem].agent', { hasText: 'Read package 20' });
    await child.click();
    await waitFor(page, `document.querySelector('#detail h2')?.textContent.includes('Read package 20')`);
    const after = await page.evaluate<number>(`document.querySelector('.tree-scroll').scrollTop`);
    await page.locator('#detail').getByRole('tab', { name: 'Prompt' }).click();
    await waitFor(page, `location.hash.includes('tab=prompt')`);
    await scrollTo(0);
    await visit(page, '#/r/r-two');
    await page.locator('.run-header h1', { hasText: 'Add OAuth' }).waitFor();
    await page.goBack();
    await waitFor(page, `location.hash.includes('tab=prompt')`);
    await page.goBack();
    await waitFor(page, `document.querySelector('[aria-selected=true]')?.textContent.includes('Read package 20')`);
    await waitFor(page, `Math.abs(document.querySelector('.tree-scroll').scrollTop - ${after}) <= 2`);
    await page.goBack();
    await page.locator(`${rowOf('')}[aria-selected=true]`).waitFor();
  });

  test('first letters of an id are enough, and several that fit are listed', async () => {
    const ids = tester.source
      .view('r-one')
      .agents.map(({ path }) => path)
      .filter((path) => !path.includes('/'));
    const path = generatedId(9);
    const unique = [1, 2, 3, 4, 5, 6]
      .map((length) => path.slice(0, length))
      .find((start) => {
        return ids.filter((id) => id !== '' && id.startsWith(start)).length === 1;
      });
    await visit(page, `#/r/r-one/${unique}`);
    await page.locator(`${rowOf(path)}[aria-selected=true]`).waitFor();
    const letter = ids
      .map((id) => id.slice(0, 1))
      .find((start, index, all) => start !== '' && all.indexOf(start) !== index);
    await visit(page, `#/r/r-one/${letter}`);
    await page.locator('.notice', { hasText: 'More than one agent begins with these letters' }).waitFor();
    expect(await page.locator('.candidate').count()).toBeGreaterThan(1);
    await page.locator('.candidate').first().click();
    await waitFor(page, `document.querySelector('.notice') === null`);
  });

  test('a place that does not exist is said, and the nearest one is shown', async () => {
    await visit(page, '#/r/r-one/nobody/at/all');
    await page.locator('.notice', { hasText: 'nobody called nobody below the root' }).waitFor();
    await page.locator(`${rowOf('')}[aria-selected=true]`).waitFor();
    for (const [params, words] of [
      ['t=999', 'There is no turn 999 here.'],
      ['c=nothing', 'There is no call nothing here.'],
      ['i=i99', 'There is no open incident i99 here.'],
      ['tab=files&f=no.ts', 'There is no changed file no.ts here.'],
      ['tab=artifacts&f=NO.md', 'There is no artifact NO.md here.'],
    ] as const) {
      await visit(page, `#/r/r-one?${params}`);
      await page.locator('#detail .notice', { hasText: words }).waitFor();
    }
    await visit(page, '#/r/r-one?t=1');
    await page.locator('.outlined').waitFor();
    expect(await page.locator('#detail .notice').count()).toBe(0);
    await visit(page, '#/r/r-none');
    await page.locator('.run-problem', { hasText: 'Run "r-none" does not exist' }).waitFor();
    forget(tester.trouble, /404 .*\(\/api\/runs\/r-none\)$/);
    await page.locator('.run-problem a', { hasText: 'All runs' }).click();
    await page.locator('[data-run=r-one]').waitFor();
    await visit(page, '#/odd/place');
    await page.locator('[data-run=r-one]').waitFor();
  });

  test('a copied link has no key, and opens the same place in another tab', async () => {
    const path = generatedId(3);
    await visit(page, `#/r/r-one/${path}?tab=budget`);
    await page.locator(`${rowOf(path)}[aria-selected=true]`).waitFor();
    await page.keyboard.press('y');
    await waitFor(page, `document.getElementById('announcements').textContent === 'Link copied'`);
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).toBe(`${tester.server.origin}/#/r/r-one/${path}?tab=budget`);
    const other = tester.watch(await page.context().newPage());
    await other.goto(link);
    await other.locator(`${rowOf(path)}[aria-selected=true]`).waitFor();
    await other.close();
  });

  test('an address without a key says so, and the right one helps', async () => {
    const context = await tester.browser.newContext();
    const stranger = await context.newPage();
    await stranger.goto(`${tester.server.origin}/#/r/r-one`);
    await stranger.locator('main', { hasText: 'This address has no valid key' }).waitFor();
    await visit(stranger, `#/r/r-one?k=${tester.server.key}`);
    await stranger.locator(rowOf('')).waitFor();
    await context.close();
  });
});
