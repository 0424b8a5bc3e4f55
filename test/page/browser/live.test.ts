import { setTimeout as delay } from 'node:timers/promises';
import { describeInBrowser } from '../../support/browser';
import { generatedId } from '../../support/ui/generated-run';
import { forget, lostConnection } from '../../support/ui/page-problems';
import { startUiOn } from '../../support/ui/start-ui';
import { PageTester, rowOf, waitFor } from '../support/page-tester';

const running = Array.from({ length: 12 }, (_, index) => generatedId(index + 1));

describeInBrowser('a page that is kept up to date', () => {
  let tester: PageTester;
  beforeAll(async () => {
    tester = await PageTester.start(
      { runId: 'r-live', agents: 40, batch: 30, running: 12 },
      { runId: 'r-calm', agents: 4, batch: 0 },
      { runId: 'r-busy', agents: 1_000, batch: 900, running: 900 },
    );
  });
  afterAll(async () => {
    await tester.close();
  });
  afterEach(async () => {
    await tester.closePages();
    expect(tester.trouble.splice(0)).toEqual([]);
  });

  test('shows who needs you anywhere within seconds, in bar, title, list and tree; n goes round', async () => {
    const page = await tester.open('#/');
    await page.locator('[data-run=r-live]').waitFor();
    const other = await tester.open('#/r/r-calm', { width: 390, height: 700 });
    await other.locator(rowOf('')).waitFor();
    tester.source.raise('r-live', { path: running[3] ?? '' });
    await waitFor(page, `document.title.startsWith('(1) ')`);
    await waitFor(other, `document.title.startsWith('(1) ')`);
    await page.locator('.needs-you', { hasText: '1 agent needs you' }).waitFor();
    await page.locator('[data-run=r-live] .badge', { hasText: 'needs you' }).waitFor();
    tester.source.raise('r-live', { path: running[7] ?? '', id: 'i2' });
    await waitFor(page, `document.title.startsWith('(2) ')`);
    const places: string[] = [];
    for (const _ of [1, 2, 3]) {
      const before = page.url();
      await page.keyboard.press('n');
      await waitFor(page, `location.href !== ${JSON.stringify(before)}`);
      places.push(page.url().split('#')[1] ?? '');
    }
    expect(places).toEqual([
      `/r/r-live/${running[3]}?i=i1`,
      `/r/r-live/${running[7]}?i=i2`,
      `/r/r-live/${running[3]}?i=i1`,
    ]);
    await page.locator(`${rowOf(running[3] ?? '')}[aria-label*="needs you"]`).waitFor();
    const bar = await other.locator('.needs-you').boundingBox();
    expect(bar?.y).toBeLessThan(100);
    await other.locator('.needs-you button').click();
    await waitFor(other, `location.hash.includes('i=i1')`);
    expect((await other.locator('.needs-you').boundingBox())?.y).toBe(bar?.y);
  });

  test('adds runs that start to the list, counts them, and moves nothing for who has scrolled', async () => {
    const page = await tester.open('#/', { height: 400 });
    await page.locator('[data-run=r-live]').waitFor();
    const shown = (): Promise<string[]> =>
      page.evaluate(`[...document.querySelectorAll('[data-run]')].map((row) => row.dataset.run)`);
    const started = (index: number): string => `r-started-${index}`;
    const failed = await tester.open('#/?status=failed');
    await failed.locator('.runs-empty').waitFor();
    for (let index = 1; index <= 8; index++) {
      tester.source.start({ runId: started(index), agents: 2, batch: 0, running: 1 });
      await delay(2);
    }
    await page.locator(`[data-run=${started(8)}]`).waitFor();
    await waitFor(page, `document.querySelectorAll('[data-run]').length === 11`);
    expect((await shown()).slice(0, 8)).toEqual([8, 7, 6, 5, 4, 3, 2, 1].map(started));
    await page.locator('.chip[aria-current] .chip-count', { hasText: '11' }).waitFor();

    await page.evaluate(`document.querySelector('.runs-page').scrollTop = 200`);
    const top = `document.querySelector('[data-run=${started(2)}]').getBoundingClientRect().top`;
    const before = await page.evaluate(top);
    tester.source.start({ runId: started(9), agents: 2, batch: 0, running: 1 });
    const pill = page.locator('.runs-news button', { hasText: '1 new run' });
    await pill.waitFor();
    expect(await page.evaluate(top)).toBe(before);
    expect((await shown())[0]).toBe(started(9));
    await pill.click();
    await pill.waitFor({ state: 'detached' });
    expect(await page.evaluate(`document.querySelector('.runs-page').scrollTop`)).toBe(0);
    // They do not belong to the list of those that failed, until one of them fails; then it stays there.
    expect(await failed.locator('[data-run]').count()).toBe(0);
    const { run } = tester.source.view(started(9));
    tester.source.push(started(9), { run: { ...run, state: 'failed', endedAt: Date.now() } });
    await failed.locator(`[data-run=${started(9)}]`).waitFor();
    tester.source.push(started(9), { run: { ...run, state: 'completed' } });
    await failed.locator(`[data-run=${started(9)}] .badge`, { hasText: 'completed' }).waitFor();
  });

  test('survives a restart of the server with selection, folds and scroll position', async () => {
    const page = await tester.open(`#/r/r-live/${running[5]}`, { height: 500 });
    await page.locator(`${rowOf(running[5] ?? '')}[aria-selected=true]`).waitFor();
    await page.locator('.row.fold', { hasText: 'completed' }).click();
    await page.evaluate(`document.querySelector('.tree-scroll').scrollTop = 140`);
    const before = await page.locator('.tree').getAttribute('style');
    const { port, key } = tester.server;
    await tester.server.close();
    await page.locator('.banner.lost').waitFor();
    expect(await page.locator('[role=treeitem]').count()).toBeGreaterThan(20);
    tester.source.complete('r-live', running.slice(10, 11));
    tester.server = await startUiOn(tester.source, { port, key });
    await waitFor(page, `document.querySelector('.banner') === null`);
    await waitFor(page, `document.querySelector('.row.batch').getAttribute('aria-label').includes('19 completed')`);
    expect(await page.locator('.tree').getAttribute('style')).toBe(before);
    expect(await page.locator('.row.fold[aria-expanded=true]').count()).toBe(1);
    expect(await page.evaluate(`document.querySelector('.tree-scroll').scrollTop`)).toBe(140);
    expect(await page.locator(`${rowOf(running[5] ?? '')}[aria-selected=true]`).count()).toBe(1);
    forget(tester.trouble, lostConnection);
  });

  test('gives its stream up when hidden for 30 s, shows who needs you in its title, and continues without losing anything', async () => {
    const page = await tester.open('#/');
    await page.clock.install();
    await page.goto(tester.address('#/r/r-calm'));
    await page.locator(rowOf('')).waitFor();
    await page.clock.runFor(1_000);
    const hide = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { get: () => ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/stream'));
    await hide(true);
    await page.clock.runFor(31_000);
    await ended;
    tester.source.raise('r-calm', { path: generatedId(1), id: 'i9' });
    const title = await page.title();
    for (let step = 0; step < 15 && (await page.title()) === title; step++) await page.clock.runFor(1_000);
    expect(await page.title()).toBe('(3) Review the licences of all dependencies · Baton');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url().replace(/.*\/api\//, '')));
    await hide(false);
    await page.clock.runFor(1_000);
    await page.locator(`${rowOf(generatedId(1))}[aria-label*="needs you"]`).waitFor();
    // It continued after the last frame, instead of loading everything again.
    expect(asked.filter((path) => path.startsWith('stream'))).toEqual([expect.stringMatching(/after=\w+\.\d+/)]);
    expect(asked).not.toContain('runs/r-calm');
  });

  test('follows 200 changes a second quietly, and is right afterwards', async () => {
    const page = await tester.open('#/r/r-busy');
    await page.locator('.row.batch').waitFor();
    await waitFor(page, `document.getElementById('announcements').textContent !== ''`);
    await page.evaluate(
      `globalThis.announced = 0; new MutationObserver(() => globalThis.announced++).observe(document.getElementById('announcements'), { childList: true, characterData: true, subtree: true })`,
    );
    for (let step = 0; step < 20; step++) {
      const paths = Array.from({ length: 20 }, (_, index) => generatedId(step * 20 + index + 1));
      tester.source.complete('r-busy', paths);
      await delay(100);
    }
    await waitFor(
      page,
      `document.querySelector('.row.batch').getAttribute('aria-label').endsWith('500 running, 400 completed')`,
    );
    expect(await page.evaluate('globalThis.announced')).toBe(0);
  });
});
