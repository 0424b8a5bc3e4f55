import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { CDPSession, Page } from 'playwright-core';
import { pagePath } from '../cli/ui/http/page-file';
import { generatedId } from '../test/support/ui/generated-run';
import type { GeneratedSource } from '../test/support/ui/generated-source';
import { generatedSource, startUiOn } from '../test/support/ui/start-ui';
import type { Benchmark, Row } from './runner/benchmark';
import { measured } from './runner/rows';
import { launchChromium } from './support/browser';

const name = 'ui.page';
const runId = 'r-bench';
const changesPerSecond = 200;

/** What each figure must keep to, in its unit. */
const limits: readonly (readonly [name: string, unit: string, limit: number])[] = [
  ['script', 'kB gzipped', 85],
  ['whole', 'kB gzipped', 98],
  ['first-paint', 'ms', 200],
  ['rows', 'ms until 2,000 agents', 1_000],
  ['mounted', 'rows', 80],
  ['click', 'ms to the heading', 100],
  ['filter', 'ms for 2,000 rows', 50],
  ['scroll', 'ms per frame, p95', 20],
  ['changes', '% of a core', 10],
  ['server', '% of a core, with what makes the changes', 25],
  ['heap', 'MB', 60],
  ['heap-growth', 'MB by 5 s of changes', 10],
];

/** The page of `baton ui` with 2,000 agents, in Chromium on this machine. */
export const ui: Benchmark = {
  names: [name],
  about: 'Size and speed of the page with 2,000 agents, 10,000 turns and 200 changes a second.',
  async run(context) {
    const agents = context.quick ? 100 : 2_000;
    const source = generatedSource({ runId, agents, batch: 0, depth: 3, running: agents / 2, turns: agents * 5 });
    const browser = await launchChromium();
    const server = await startUiOn(source);
    const figures = new Map<string, number[]>();
    const add = (values: Readonly<Record<string, number>>): void => {
      for (const [key, value] of Object.entries(values)) figures.set(key, [...(figures.get(key) ?? []), value]);
    };
    try {
      for (let round = 0; round < context.rounds(3); round++) {
        const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
        add(sizes());
        add(await opened(page, `${server.origin}/#/r/${runId}?k=${server.key}`));
        add(await used(page, source, context.quick ? 1 : 5));
        await page.close();
      }
    } finally {
      await browser.close();
      await server.close();
    }
    return limits.map(([key, unit, is]): Row => {
      const options = { name: `${name}.${key}`, unit, wants: 'less', bound: { of: 'value', is } } as const;
      return measured(options, figures.get(key) ?? [Number.NaN]);
    });
  },
};

function sizes(): Record<string, number> {
  const html = readFileSync(pagePath, 'utf8');
  const script = html.slice(html.lastIndexOf('<script>') + 8, html.lastIndexOf('</script>'));
  return { script: gzipSync(script).length / 1_000, whole: gzipSync(html).length / 1_000 };
}

/** Runs in the page before its own script: notes when rows were first drawn. */
const noteRows = `globalThis.rowsAt = new Promise((resolve) => {
  const look = () => document.querySelectorAll('[role=treeitem]').length > 20 ? resolve(performance.now()) : requestAnimationFrame(look);
  look();
});`;

async function opened(page: Page, address: string): Promise<Record<string, number>> {
  await page.addInitScript(noteRows);
  await page.goto(address);
  const rows = await page.evaluate<number>('globalThis.rowsAt');
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`,
  );
  return { rows, 'first-paint': paint };
}

/** Runs in the page: opens everything, then measures what a reader does. */
const untilFrame = 'await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))';
const click = `(async () => {
  const row = [...document.querySelectorAll('.row.agent')][12];
  const title = row.querySelector('.title').textContent;
  const start = performance.now();
  row.click();
  while (!document.querySelector('#detail h2')?.textContent.includes(title)) ${untilFrame};
  return performance.now() - start;
})()`;
const filter = `(async () => {
  const input = document.getElementById('filter');
  const start = performance.now();
  input.value = 'package 19';
  input.dispatchEvent(new Event('input', { bubbles: true }));
  while (document.querySelector('.tree').offsetHeight > 20_000) await Promise.resolve(document.body.offsetHeight);
  const took = performance.now() - start;
  input.value = '';
  input.dispatchEvent(new Event('input', { bubbles: true }));
  return took;
})()`;
const scroll = `(async () => {
  const scroller = document.querySelector('.tree-scroll');
  const frames = [];
  const end = scroller.scrollHeight - scroller.clientHeight;
  const start = performance.now();
  let before = start;
  for (;;) {
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - before);
    before = now;
    scroller.scrollTop = (end * (now - start)) / 3_000;
    if (now - start > 3_000) break;
  }
  scroller.scrollTop = 0;
  return frames.slice(2).sort((a, b) => a - b)[Math.floor(frames.length * 0.95) - 2];
})()`;

async function used(page: Page, source: GeneratedSource, seconds: number): Promise<Record<string, number>> {
  await page.keyboard.press('e');
  await page.evaluate(untilFrame.replace('await ', ''));
  const took = { click: await page.evaluate<number>(click), filter: await page.evaluate<number>(filter) };
  const scrolled = await page.evaluate<number>(scroll);
  const session = await page.context().newCDPSession(page);
  // Processor time, which other programs on the machine don't change.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await heapOf(session);
  const started = { cpu: process.cpuUsage(), at: performance.now() };
  const changes = await shareOfCore(session, () => change(source, seconds));
  const { user, system } = process.cpuUsage(started.cpu);
  const server = (user + system) / 10 / (performance.now() - started.at);
  const mounted = await page.evaluate<number>(`document.querySelectorAll('[role=treeitem]').length`);
  const heap = await heapOf(session);
  return { ...took, scroll: scrolled, changes, server, mounted, heap, 'heap-growth': Math.max(0, heap - before) };
}

/** What the page keeps in memory, in megabytes. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 1_000_000;
}

/** Changes agents, 200 times a second. */
async function change(source: GeneratedSource, seconds: number): Promise<void> {
  const count = source.view(runId).agents.length;
  for (let step = 0; step < seconds * 10; step++) {
    const rows = Array.from({ length: changesPerSecond / 10 }, (_, index) => {
      const number = 1 + ((step * 20 + index * 7) % (count - 1));
      return { path: source.view(runId).agents[number]?.path ?? generatedId(number), turn: 5 + step };
    });
    source.push(runId, { rows });
    await delay(100);
  }
}

/** Percentage of a core that the page's main thread was busy. */
async function shareOfCore(session: CDPSession, work: () => Promise<void>): Promise<number> {
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? 0;
  };
  const [before, start] = [await busy(), performance.now()];
  await work();
  return (((await busy()) - before) / ((performance.now() - start) / 1_000)) * 100;
}
