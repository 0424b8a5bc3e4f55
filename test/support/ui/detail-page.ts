import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { PageSource } from '../../../cli/ui/page-source';
import { browserPatienceMs, launchBrowser } from '../browser';
import { runId } from './conversation-source';
import { collectProblems } from './page-problems';
import { startUiOn } from './start-ui';

/** A page in a browser, with the server that it came from. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and messages of the console; empty if nothing went wrong. */
  readonly problems: string[];
  /** Requests other than to read, as `POST path`. */
  readonly writes: readonly string[];
  /** Goes to an agent of the run; `params` as in addresses. */
  go(path: string, params?: string): Promise<void>;
  /** Stops the server; `reconnect` starts it again at the same address. */
  disconnect(): Promise<void>;
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

let browser: Promise<Browser> | undefined;

/** Ends the browser that the tests of a file share. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** Opens a run in a new window. */
export async function openPage(
  source: PageSource,
  run = runId,
  options: { readOnly?: boolean } = {},
): Promise<OpenPage> {
  browser ??= launchBrowser();
  let server = await startUiOn(source, { isReadOnly: options.readOnly ?? false });
  const context = await (await browser).newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(browserPatienceMs);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const problems: string[] = [];
  const writes: string[] = [];
  collectProblems(page, problems);
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(server.origin) && !request.url().startsWith('data:image/svg'))
      problems.push(`request to ${request.url()}`);
    if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await page.goto(server.address(run));
  await page.waitForSelector('.detail h2');
  return {
    page,
    context,
    problems,
    writes,
    go: async (path, params = '') => {
      const address = `#/r/${run}${path === '' ? '' : `/${path}`}${params === '' ? '' : `?${params}`}`;
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
      await page.waitForSelector('.detail h2');
    },
    disconnect: () => server.close(),
    reconnect: async () => {
      server = await startUiOn(source, { port: server.port, key: server.key });
    },
    close: async () => {
      await context.close();
      await server.close();
    },
  };
}

const view = "document.querySelector('.conversation-view')";

/** Distance of the conversation from its end, in pixels. */
export function distanceFromEnd(page: Page): Promise<number> {
  return page.evaluate<number>(`${view}.scrollHeight - ${view}.clientHeight - ${view}.scrollTop`);
}

/** The first visible turn of the conversation and where its top is. */
export function firstTurn(page: Page): Promise<{ readonly turn: string; readonly top: number }> {
  return page.evaluate(`(() => {
    const { top } = ${view}.getBoundingClientRect();
    const turns = [...document.querySelectorAll('.turn')];
    const first = turns.find((turn) => turn.getBoundingClientRect().bottom > top + 1);
    return { turn: first.dataset.turn, top: first.getBoundingClientRect().top };
  })()`);
}

/** Moves the wheel over the conversation, as a reader does. */
export async function wheel(page: Page, pixels: number): Promise<void> {
  await page.locator('.conversation-view').hover();
  await page.mouse.wheel(0, pixels);
  await drawn(page);
}

/** Waits until the page has drawn what it knows. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))',
  );
}

/** Text of the clipboard. */
export function clipboard(page: Page): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()');
}

/**
 * Measures the processor time that the page takes, in milliseconds: unlike the time on the clock, it does not depend on
 * what else the machine does. Returns a function that gives the time since its last call.
 */
export async function processorTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  let before = 0;
  const measure = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const now = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
    const spent = now - before;
    before = now;
    return spent;
  };
  await measure();
  return measure;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Processor time of the longest task of the page's main thread while it works, in milliseconds. */
export async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser');
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString('utf8')) as { traceEvents: TraceEvent[] };
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const isMain = ({ pid, tid }: TraceEvent): boolean => threads.some((each) => each.pid === pid && each.tid === tid);
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && isMain(event));
  if (tasks.length === 0) throw new Error('The trace has no tasks');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
