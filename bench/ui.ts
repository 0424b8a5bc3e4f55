import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { pagePath } from '../cli/ui/http/page-file';
import type { UiServer } from '../cli/ui/http/ui-server';
import { writeRecordedPage } from '../test/page/support/recorded-page';
import type { GeneratedSource } from '../test/support/ui/generated-source';
import { generatedSource, startUiOn } from '../test/support/ui/start-ui';
import type { Benchmark, Row } from './runner/benchmark';
import { measured } from './runner/rows';
import { launchChromium } from './support/browser';
import { changePage, heapOf, measurePage } from './support/page-load';
import { readConversation, readTree } from './support/page-reading';

const name = 'ui.page';
const runId = 'r-bench';
const longRunId = 'r-long';

/** What each figure must keep to, in its unit. */
const limits: readonly (readonly [name: string, unit: string, limit: number])[] = [
  ['script', 'kB gzipped', 75],
  ['whole', 'kB gzipped', 90],
  ['first-paint', 'ms', 200],
  ['rows', 'ms until 2,000 agents', 1_000],
  ['mounted', 'rows', 80],
  ['click', 'ms to the heading', 100],
  ['filter', 'ms for 2,000 rows', 50],
  ['scroll', 'ms per frame, p95', 20],
  ['scroll-slowed', 'ms per frame, p50, processor slowed 4 times', 50],
  ['conversation', 'ms per frame with 500 turns, p95', 34],
  ['conversation-slowed', 'ms per frame, p50, processor slowed 4 times', 67],
  ['nodes', 'nodes of 500 turns', 60_000],
  ['changes', '% of a core', 10],
  ['server', '% of a core, with what makes the changes', 30],
  ['server-memory', 'MB, with what makes the changes', 150],
  ['heap', 'MB', 60],
  ['heap-growth', 'MB by a minute of changes', 10],
  ['stopped', 'MB that the server needs for a page that is stopped for 20 s', 20],
  ['tabs', 'ms, the slowest of eight tabs', 2_000],
  ['report', 'ms until the rows of a report', 1_000],
];

/** The page of `baton ui` with 2,000 agents, in Chromium on this machine. */
export const ui: Benchmark = {
  names: [name],
  about: 'Size and speed of the page with 2,000 agents, 10,000 turns and 200 changes a second.',
  async run(context) {
    const agents = context.quick ? 100 : 2_000;
    const source = generatedSource(
      { runId, agents, batch: 0, depth: 3, running: agents / 2, turns: agents * 5 },
      { runId: longRunId, agents: 1, batch: 0, turns: context.quick ? 60 : 520 },
    );
    const browser = await launchChromium();
    const server = await startUiOn(source);
    const figures = new Map<string, number[]>();
    const add = (values: Readonly<Record<string, number>>): void => {
      for (const [key, value] of Object.entries(values)) figures.set(key, [...(figures.get(key) ?? []), value]);
    };
    try {
      for (let round = 0; round < context.rounds(3); round++) {
        const bench = { browser, server, source };
        add(sizes());
        add(await used(bench, round === 0 && !context.quick ? 60 : context.quick ? 1 : 5));
        add(await tabs(bench));
        add(await report(bench));
      }
      add(await stopped({ browser, server, source }, context.quick ? 1 : 20));
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

interface Bench {
  readonly browser: Browser;
  readonly server: UiServer;
  readonly source: GeneratedSource;
}

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

async function opened(page: Page, address: string): Promise<Record<'rows' | 'first-paint', number>> {
  await page.addInitScript(noteRows);
  await page.goto(address);
  const rows = await page.evaluate<number>('globalThis.rowsAt');
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`,
  );
  return { rows, 'first-paint': paint };
}

function addressOf({ server }: Bench): string {
  return `${server.origin}/#/r/${runId}?k=${server.key}`;
}

async function used(bench: Bench, seconds: number): Promise<Record<string, number>> {
  const page = await bench.browser.newPage({ viewport: { width: 1440, height: 900 } });
  const first = await opened(page, addressOf(bench));
  const session = await page.context().newCDPSession(page);
  const tree = await readTree(page, session);
  const before = await heapOf(session);
  const started = { cpu: process.cpuUsage(), at: performance.now() };
  const changes = await measurePage(session, () => changePage(bench.source, runId, seconds));
  const { user, system } = process.cpuUsage(started.cpu);
  const server = (user + system) / 10 / (performance.now() - started.at);
  const growth = Math.max(0, (await heapOf(session)) - before);
  // In the same document, so that the 2,000 agents are still known.
  await page.evaluate(`location.hash = '#/r/${longRunId}'`);
  const conversation = await readConversation(page, session);
  const heap = await heapOf(session);
  await page.close();
  return {
    ...first,
    ...tree,
    ...conversation,
    changes,
    server,
    'server-memory': memoryNow(),
    heap,
    'heap-growth': growth,
  };
}

/** Opens eight tabs of one browser, and returns how long the slowest took. */
async function tabs(bench: Bench): Promise<Record<string, number>> {
  const context = await bench.browser.newContext();
  const took: number[] = [];
  for (let tab = 0; tab < 8; tab++) {
    const start = performance.now();
    const page = await context.newPage();
    await opened(page, addressOf(bench));
    took.push(performance.now() - start);
  }
  await context.close();
  return { tabs: Math.max(...took) };
}

/** Opens the same run as a file. */
async function report({ browser, source }: Bench): Promise<Record<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-bench-'));
  const page = await browser.newPage();
  try {
    const address = await writeRecordedPage(join(folder, 'run.html'), source, runId, Date.now());
    return { report: (await opened(page, address)).rows };
  } finally {
    await page.close();
    await rm(folder, { recursive: true });
  }
}

/** Memory that the server needs while a page receives nothing, and 10,000 changes are made. */
async function stopped(bench: Bench, seconds: number): Promise<Record<string, number>> {
  const page = await bench.browser.newPage();
  await opened(page, addressOf(bench));
  await changePage(bench.source, runId, 1);
  const before = memoryNow();
  const stop = page.evaluate(`{ const end = Date.now() + ${seconds * 1_000}; while (Date.now() < end); }`);
  const { agents } = bench.source.view(runId);
  for (let step = 0; step < seconds * 5; step++) {
    const detail = `step ${step} ${'of many changes '.repeat(30)}`;
    const first = (step * 100) % agents.length;
    bench.source.push(runId, { rows: agents.slice(first, first + 100).map(({ path }) => ({ path, detail })) });
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  const grown = memoryNow() - before;
  await stop;
  await page.close();
  return { stopped: Math.max(0, grown) };
}

/** Memory of this process after what can be freed has been freed, in megabytes. */
function memoryNow(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_000_000;
}
