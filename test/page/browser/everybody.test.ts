import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeInBrowser, screenshot } from '../../support/browser';
import { generatedId } from '../../support/ui/generated-run';
import { forget } from '../../support/ui/page-problems';
import { PageTester, rowOf, visit, waitFor } from '../support/page-tester';
import { writeRecordedPage } from '../support/recorded-page';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const hostile = `</script><script>document.title='x'</script><img src=x onerror="document.title='x'">`;

/**
 * Serious findings of axe, with the first element that each concerns. Rows of the tree have spoken names that say more than
 * the row shows, so the rule that compares the two is left out.
 */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(`if (typeof axe === 'undefined') { ${axe} }`);
  return page.evaluate<string[]>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], rules: { 'label-content-name-mismatch': { enabled: false } } }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`,
  );
}

/** Addresses of a recorded run, and what each of them shows when the file is opened with it. */
const recordedPlaces = [
  [`#/r/r-hostile/${generatedId(3)}?t=2`, '[data-turn="2"].outlined'],
  [`#/r/r-hostile/${generatedId(3)}?c=call-1`, '[data-call="call-1"].outlined .call-body'],
  [`#/r/r-hostile/${generatedId(3)}?tab=budget`, '[role=tab][aria-selected=true]:has-text("Budget")'],
  [`#/r/r-hostile?tab=prompt`, '[role=tab][aria-selected=true]:has-text("Prompt")'],
  [`#/r/r-hostile?find=look`, '.hits a'],
  [`#/r/r-hostile?q=status:failed`, '[role=treeitem]:has-text("failed")'],
] as const;

describeInBrowser('the page for everybody', () => {
  let tester: PageTester;
  beforeAll(async () => {
    tester = await PageTester.start(
      { runId: 'r-all', agents: 60, batch: 40, failures: 8, needsYou: 1, running: 5 },
      { runId: 'r-hostile', goal: hostile, agents: 12, batch: 6, failures: 6, hostile },
    );
    const states = ['paused', 'waiting', 'queued', 'skipped', 'cancelled', 'unknown'] as const;
    tester.source.push('r-all', { rows: states.map((state, index) => ({ path: generatedId(41 + index * 2), state })) });
  });
  afterAll(async () => {
    await tester.close();
  });
  afterEach(async () => {
    await tester.closePages();
    expect(tester.trouble.splice(0)).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing serious, %s', async (colorScheme) => {
    const page = await tester.open('#/', { colorScheme });
    await page.locator('[data-run=r-all]').waitFor();
    await screenshot(page, `runs-${colorScheme}`);
    expect(await findings(page)).toEqual([]);
    await visit(page, `#/r/r-all/${generatedId(1)}`);
    await page.locator(`${rowOf(generatedId(1))}[aria-selected=true]`).waitFor();
    await page.locator('#detail h2').first().waitFor();
    await screenshot(page, `run-${colorScheme}`);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test('everything is reached by keyboard', async () => {
    const page = await tester.open('#/');
    await page.locator('[data-run=r-all]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('r-all');
    await waitFor(page, `document.querySelectorAll('[data-run]').length === 1`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator(rowOf('')).waitFor();
    await page.locator('#tree').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    const active = (): Promise<string> =>
      page.evaluate(
        `document.getElementById(document.getElementById('tree').getAttribute('aria-activedescendant')).dataset.key`,
      );
    expect(await active()).toBe(`agent:${generatedId(10)}`);
    await page.keyboard.press('ArrowLeft');
    expect(await active()).toBe('batch:|call-2');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.row.batch[aria-expanded=false]').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await waitFor(page, `document.querySelector('[aria-selected=true]').getAttribute('aria-label').includes('failed')`);
    await page.keyboard.press('Enter');
    await waitFor(page, `document.activeElement.matches('#detail h2')`);
    await page.keyboard.press('Escape');
    await waitFor(page, `document.activeElement.id === 'tree'`);
    await page.keyboard.press('3');
    await waitFor(page, `location.hash.includes('tab=files')`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('package 33');
    await page.locator('.go-to li').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator(`${rowOf(generatedId(33))}[aria-selected=true]`).waitFor();
    await page.keyboard.press('t');
    await page.locator(`${rowOf('')}[aria-selected=true]`).waitFor();
    await page.keyboard.press('g');
    await page.locator('[data-run=r-all]').waitFor();
  });

  test('rows say where they are although most are not mounted, and single keys can be turned off', async () => {
    const page = await tester.open('#/r/r-all');
    const row = page.locator('[role=treeitem]', { hasText: 'Read package 12' });
    await row.waitFor();
    expect(
      await Promise.all(['aria-level', 'aria-posinset', 'aria-setsize'].map((name) => row.getAttribute(name))),
    ).toEqual(['3', '12', '40']);
    await page.keyboard.press('?');
    await page.locator('.single-keys input').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    expect(page.url()).toContain('#/r/r-all');
    expect(page.url()).not.toContain('i=');
  });

  test.each([320, 390])('fits a phone of %d px, with targets of 44 px', async (width) => {
    const page = await tester.open('#/', { width, height: 844, hasTouch: true });
    await page.locator('[data-run=r-all]').waitFor();
    const sideways = `document.documentElement.scrollWidth > ${width}`;
    const small = `[...document.querySelectorAll('button, .chip, .row, .up, .brand')]
      .filter((e) => e.offsetParent !== null && e.closest('#detail') === null)
      .filter((e) => { const { width, height } = e.getBoundingClientRect(); return width > 0 && (height < 43.5 || width < 43.5); })
      .map((e) => e.outerHTML.slice(0, 100))`;
    expect(await page.evaluate(sideways)).toBe(false);
    expect(await page.evaluate(small)).toEqual([]);
    await page.locator('[data-run=r-all] a').tap();
    await page.locator(rowOf('')).waitFor();
    await screenshot(page, `phone-${width}`);
    expect(await page.evaluate(sideways)).toBe(false);
    expect(await page.evaluate(small)).toEqual([]);
    await page.locator(rowOf(generatedId(1))).tap();
    await page.locator('#detail h2').first().waitFor();
    expect(await page.evaluate(sideways)).toBe(false);
    expect(await page.locator('.tree').count()).toBe(0);
    await page.getByRole('link', { name: 'Agents of this run' }).tap();
    await page.locator(rowOf('')).waitFor();
  });

  test('a recorded page works from a file, requests nothing, has no buttons that decide, and runs no hostile text', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-recorded-'));
    const at = new Date(2026, 10, 16, 14, 40).getTime();
    const url = await writeRecordedPage(join(folder, 'run.html'), tester.source, 'r-hostile', at);
    const context = await tester.browser.newContext({ viewport: { width: 1440, height: 860 }, offline: true });
    const page = tester.watch(await context.newPage());
    page.on('request', (request) => {
      if (request.url().split('#')[0] !== url && !request.url().startsWith('data:')) tester.trouble.push(request.url());
    });
    const path = generatedId(3);
    await page.goto(`${url}#/r/r-hostile/${path}`);
    await page.locator(`${rowOf(path)}[aria-selected=true]`).waitFor();
    await page
      .locator('.banner', { hasText: 'Recorded 16 Nov 14:40; the run was not finished then. Nothing here changes.' })
      .waitFor();
    await page.locator('#detail', { hasText: 'Turn 1' }).waitFor();
    expect(await page.locator('.bars rect').count()).toBeGreaterThan(3);
    const header = page.locator('#detail .agent-header');
    await header.getByText(/What to do: .*the call is retried after the delay/).waitFor();
    await header.getByRole('button', { name: `Copy baton retry r-hostile/${path} --with-parent` }).waitFor();
    await screenshot(page, 'recorded');
    for (const [place, shown] of recordedPlaces) {
      // A fragment alone would not load the file again.
      await page.goto('about:blank');
      await page.goto(`${url}${place}`);
      await page.locator(shown).first().waitFor();
      expect(page.url()).toBe(`${url}${place}`);
    }
    expect(await page.title()).toContain('document.title');
    expect(await page.locator('#page script, #page img, #page iframe').count()).toBe(0);
    for (const name of ['Pause', 'Cancel…', 'Retry', 'Steer…'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    await visit(page, `#/r/r-hostile?tab=files`);
    await page.locator('#detail', { hasText: 'src/index.ts' }).first().waitFor();
    await visit(page, `#/r/r-hostile?find=look`);
    await page.locator('.progress', { hasText: '12 of 12 agents searched' }).waitFor();
    await page.goBack();
    await waitFor(page, `location.hash.includes('tab=files')`);
    expect(
      await page
        .evaluate(`try { document.body.innerHTML = 'x'; 'assigned' } catch { 'refused' }`)
        .catch(() => 'refused'),
    ).toBe('refused');
    forget(tester.trouble, /TrustedHTML/);
    await context.close();
  });
});
