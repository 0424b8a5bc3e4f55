import type { Page } from 'playwright-core';
import type { ViewSegment } from '../../../client/view/run-view';
import { describeInBrowser, screenshot } from '../../support/browser';
import { generatedId, startOfRun } from '../../support/ui/generated-run';
import { PageTester, rowOf, visit, waitFor } from '../support/page-tester';

const minute = 60_000;
const segment = (kind: ViewSegment['kind'], from: number, to: number): ViewSegment => ({
  kind,
  from: startOfRun + from,
  to: startOfRun + to,
  turn: 1,
  label: kind,
  isError: false,
});

describeInBrowser('the tree and its timeline', () => {
  let tester: PageTester;
  let page: Page;
  beforeAll(async () => {
    tester = await PageTester.start(
      { runId: 'r-batch', agents: 1_001, batch: 1_000, failures: 36, needsYou: 2 },
      { runId: 'r-large', agents: 2_000, batch: 0, depth: 4, running: 100 },
      { runId: 'r-live', agents: 101, batch: 100, running: 60 },
      { runId: 'r-deep', agents: 14, batch: 0, depth: 12 },
      { runId: 'r-time', agents: 3, batch: 0, depth: 1, isOpen: false },
    );
    timedRun(tester);
    page = await tester.open('#/r/r-batch');
  });
  afterAll(async () => {
    await tester.close();
  });
  afterEach(() => {
    expect(tester.trouble.splice(0)).toEqual([]);
  });
  const names = (): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll('[role=treeitem]')].map((row) => row.getAttribute('aria-label'))`);

  test('a batch of 1,000 is one row, who needs you, one row of failures and one of the rest', async () => {
    await page.locator('.row.batch').waitFor();
    const found = await names();
    expect(found.slice(1)).toEqual([
      'Batch of 1,000, turn 2: 2 needs you, 36 failed, 962 completed',
      'Read package 1, needs you, Model.RateLimited, turn 3, 31 thousand tokens, 1 of 1,000',
      'Read package 2, needs you, Model.RateLimited, turn 3, 31 thousand tokens, 2 of 1,000',
      '36 failed: Model.RateLimited 31, Output.Invalid 5',
      '962 completed',
    ]);
    await page.locator('.row.fold', { hasText: '36 failed' }).click();
    await page.locator('.row.failure').first().waitFor();
    expect((await names()).filter((name) => name.includes('agents failed'))).toEqual([
      '31 agents failed: Model.RateLimited, # too many requests, asked to wait # s',
      '5 agents failed: Output.Invalid, # too many requests, asked to wait # s',
    ]);
    await screenshot(page, 'run-of-a-thousand');
  });

  test('its table has all of them, and sorts by cost and time', async () => {
    await page.locator('.row.batch .table-link').click();
    await page.locator('.batch-table h2', { hasText: '1,000 agents of the batch of turn 2' }).waitFor();
    expect(await page.locator('.batch-table table').getAttribute('aria-rowcount')).toBe('1001');
    expect(await page.locator('.batch-table tr[aria-rowindex]').count()).toBeLessThan(80);
    const first = (): Promise<string | null> => page.locator('.batch-table tbody tr[aria-rowindex="2"]').textContent();
    tester.source.push('r-batch', {
      rows: [
        { path: generatedId(500), withDelegations: costOf(9_000_000) },
        { path: generatedId(700), endedAt: startOfRun + 4_000_000 },
      ],
    });
    await page.getByRole('button', { name: 'Cost' }).click();
    await waitFor(page, `document.querySelector('tr[aria-rowindex="2"]').textContent.includes('Read package 500')`);
    await page.getByRole('button', { name: 'Took' }).click();
    await waitFor(page, `document.querySelector('tr[aria-rowindex="2"]').textContent.includes('Read package 700')`);
    expect(await first()).toContain('1 h 6 min');
    await page.getByRole('button', { name: 'Close the table' }).click();
  });

  test('a filter leaves hits and what is above them; clearing it restores the folds', async () => {
    const before = await names();
    await page.keyboard.press('/');
    await page.keyboard.type('status:failed');
    await waitFor(page, `document.querySelectorAll('.row.agent').length === 37`);
    expect(page.url()).toContain('q=status:failed');
    await page.locator('#filter').fill('');
    await waitFor(page, `document.querySelectorAll('.row.batch').length === 1`);
    expect(await names()).toEqual(before);
  });

  test('a text search finds a word of one agent, and goes to its turn', async () => {
    await page.locator('#filter').fill('package 871');
    await page.keyboard.press('Enter');
    await page.locator('.hits a', { hasText: 'turn 3' }).click();
    await page.locator(`${rowOf(generatedId(871))}[aria-selected=true]`).waitFor();
    expect(page.url()).toContain('t=3');
    await page.locator('#filter').fill('');
  });

  test('2,000 agents mount at most 80 rows, and End reaches the last', async () => {
    await visit(page, '#/r/r-large');
    await page.locator('.tree-foot', { hasText: '2,000 agents' }).waitFor();
    await page.keyboard.press('e');
    await page.locator('#tree').focus();
    await page.keyboard.press('End');
    const last = page.locator('[role=treeitem][aria-selected=true]');
    await waitFor(page, `document.querySelector('.row.active').getBoundingClientRect().bottom <= innerHeight`);
    expect(await last.count()).toBeLessThanOrEqual(1);
    expect(await page.locator('[role=treeitem]').count()).toBeLessThanOrEqual(80);
    const end = await page.evaluate<number>(
      `(() => { const e = document.querySelector('.tree-scroll'); return e.scrollHeight - e.scrollTop - e.clientHeight; })()`,
    );
    expect(end).toBeLessThan(2);
    await page.keyboard.press('Home');
    await page.locator(`${rowOf('')}[aria-selected=true]`).waitFor();
  });

  test('rows stay in place while 50 agents end, until they are tidied', async () => {
    await visit(page, `#/r/r-live/${generatedId(2)}`);
    await page.locator(`${rowOf(generatedId(2))}[aria-selected=true]`).waitFor();
    const watched = page.locator(rowOf(generatedId(20)));
    await watched.hover();
    const place = async (): Promise<unknown> => [
      (await watched.boundingBox())?.y,
      await watched.locator('.name').textContent(),
    ];
    const before = await place();
    const shown = await page.locator('[role=treeitem]').count();
    const ended = Array.from({ length: 50 }, (_, index) => generatedId(index + 1)).filter(
      (id) => id !== generatedId(20),
    );
    tester.source.complete('r-live', ended);
    await page.locator('.batch-line', { hasText: '89' }).waitFor();
    expect(await place()).toEqual(before);
    expect(await page.locator('[role=treeitem]').count()).toBe(shown);
    await page.keyboard.press('.');
    await waitFor(page, `document.querySelectorAll('[role=treeitem]').length < ${shown}`);
    expect(await page.locator(`${rowOf(generatedId(2))}[aria-selected=true]`).count()).toBe(1);
  });

  test('a depth of 12 is readable, without scrolling sideways', async () => {
    await page.setViewportSize({ width: 900, height: 860 });
    await visit(page, '#/r/r-deep');
    const deepest = page.locator('[role=treeitem][aria-level="13"] .title').first();
    await deepest.waitFor();
    expect((await deepest.boundingBox())?.width).toBeGreaterThan(90);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(900);
    await page.setViewportSize({ width: 1440, height: 860 });
  });

  test('bars begin and end where events say, idle time is folded, and a reset is a lane of its own', async () => {
    await visit(page, '#/r/r-time');
    await page.locator('.idle', { hasText: '1 h' }).waitFor();
    const bars = async (path: string, kind: string): Promise<{ x: number; width: number }[]> => {
      const [left, rects] = await page.evaluate<[number, { x: number; width: number }[]]>(
        `(() => { const row = document.querySelector(${JSON.stringify(rowOf(path))});
          const rects = [...row.querySelectorAll('.bar.${kind}')].map((bar) => bar.getBoundingClientRect());
          return [row.querySelector('.bars').getBoundingClientRect().x, rects.map(({ x, width }) => ({ x, width }))]; })()`,
      );
      return rects.map(({ x, width }) => ({ x: x - left, width }));
    };
    const width = await page.evaluate<number>(`document.querySelector('.axis-room').clientWidth`);
    const scale = (width - 24) / (4 * minute);
    const [first, second] = await bars('', 'model');
    expect(Math.abs((first?.width ?? 0) - minute * scale)).toBeLessThanOrEqual(1);
    expect(Math.abs((second?.x ?? 0) - (2 * minute * scale + 24))).toBeLessThanOrEqual(1);
    expect(Math.abs((second?.width ?? 0) - 2 * minute * scale)).toBeLessThanOrEqual(1);
    const [tool] = await bars('', 'tool');
    expect(Math.abs((tool?.x ?? 0) - minute * scale)).toBeLessThanOrEqual(1);
    expect(await bars(generatedId(1), 'replaced')).toHaveLength(1);
    await page.keyboard.press('z');
    await waitFor(page, `document.querySelector('.idle') === null`);
    const whole = width / (64 * minute);
    expect(Math.abs(((await bars('', 'model'))[1]?.x ?? 0) - 62 * minute * whole)).toBeLessThanOrEqual(1);
  });
});

function costOf(microUsd: number): {
  turns: number;
  usage: { input: number; cacheRead: number; cacheWrite: number; output: number };
  microUsd: number;
} {
  return { turns: 3, usage: { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 }, microUsd };
}

/** A run of 64 minutes in which nothing works for an hour, with an agent that was reset. */
function timedRun({ source }: PageTester): void {
  const { run } = source.view('r-time');
  const end = 64 * minute;
  source.push('r-time', {
    run: { ...run, startedAt: startOfRun, endedAt: startOfRun + end },
    rows: [
      {
        path: '',
        startedAt: startOfRun,
        endedAt: startOfRun + end,
        replaced: [],
        segments: [
          segment('model', 0, minute),
          segment('tool', minute, 2 * minute),
          segment('wait', 2 * minute, 62 * minute),
          segment('model', 62 * minute, end),
        ],
      },
      {
        path: generatedId(1),
        endedAt: startOfRun + end,
        segments: [segment('model', 62 * minute, 63 * minute)],
        replaced: [segment('model', minute, 90_000)],
      },
      { path: generatedId(2), replaced: [], segments: [] },
    ],
  });
}
