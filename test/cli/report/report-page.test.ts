import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { escaped, html } from '../../../cli/report/markup';
import { reportPage } from '../../../cli/report/page';
import { describeInBrowser, launchBrowser, screenshot } from '../../support/browser';
import { hostile, hostileModel } from '../support/report-model';

describe('the report page', () => {
  const page = reportPage(hostileModel());

  test('contains no markup that a model wrote', () => {
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<img');
    expect(page.split('&lt;script&gt;document.title').length).toBeGreaterThan(50);
    expect(page).not.toMatch(/(?:src|href)="(?!#|data:,")/);
    expect(page).not.toContain('url(');
  });

  test('escapes values in text, attributes and lists, and shows characters that would reverse the text', () => {
    expect(html`<a title="${'"><b>'}">${['<', html`<i>${'&'}</i>`]}</a>`.text).toBe(
      '<a title="&quot;&gt;&lt;b&gt;">&lt;<i>&amp;</i></a>',
    );
    expect(escaped('a\u202eb\u0000c\nd\ud800')).toBe('a\ufffdb\ufffdc\nd\ufffd');
  });
});

describeInBrowser('the page of a report in a browser', () => {
  let browser: Browser;
  let folder: string;
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-report-'));
    const file = join(folder, 'report.html');
    await writeFile(file, reportPage(hostileModel()));
    url = pathToFileURL(file).href;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  const opened = async (width: number, colorScheme: 'light' | 'dark'): Promise<{ page: Page; trouble: string[] }> => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const trouble: string[] = [];
    page.on('console', (message) => trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('request', (request) => {
      if (request.url() !== url && !request.url().startsWith('data:')) trouble.push(`asked for ${request.url()}`);
    });
    await page.goto(url);
    // With all sections expanded, so that their content is measured as well.
    await page.$$eval('details', (all) => {
      for (const one of all as unknown as { open: boolean }[]) one.open = true;
    });
    await screenshot(page, `report-${width}-${colorScheme}`);
    return { page, trouble };
  };

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('is quiet and fits at a width of %d, %s', async (width, scheme) => {
    const { page, trouble } = await opened(width, scheme);
    expect(trouble).toEqual([]);
    expect(await page.title()).toBe('Run r-1');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(paper).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 22, 28)');
    expect(await page.locator('h1').textContent()).toBe(`Summarise ${hostile}`);
    expect(await page.locator('script, img').count()).toBe(0);
    await page.close();
  });

  test('collapses the embedded parent prompt, and links to each agent', async () => {
    const page = await browser.newPage();
    await page.goto(url);
    expect(await page.locator('details.parent').count()).toBe(15);
    expect(await page.locator('details.parent[open]').count()).toBe(0);
    const targets = await page.$$eval('a[href^="#"]', (links) =>
      links.map((link) => (link as unknown as { getAttribute(name: string): string }).getAttribute('href')),
    );
    for (const target of new Set(targets)) expect(await page.locator(`[id="${target.slice(1)}"]`).count()).toBe(1);
    await page.close();
  });
});
