import type { CDPSession, Page } from 'playwright-core';

// Expressions that are evaluated in the page: each does what a reader does, and returns how long that took.
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
/** Scrolls from end to end in three seconds, and returns the durations of the frames, shortest first. */
const scroll = (selector: string): string => `(async () => {
  const scroller = document.querySelector('${selector}');
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
  return frames.slice(2).sort((a, b) => a - b);
})()`;

async function frames(page: Page, selector: string): Promise<{ readonly p50: number; readonly p95: number }> {
  const sorted = await page.evaluate<number[]>(scroll(selector));
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95) };
}

/** Opens everything, then measures clicks, filters and scrolling, in milliseconds. */
export async function readTree(page: Page, session: CDPSession): Promise<Record<string, number>> {
  await page.keyboard.press('e');
  await page.evaluate(untilFrame.replace('await ', ''));
  const took = { click: await page.evaluate<number>(click), filter: await page.evaluate<number>(filter) };
  const { p95 } = await frames(page, '.tree-scroll');
  const slowed = await slowly(session, () => frames(page, '.tree-scroll'));
  const mounted = await page.evaluate<number>(`document.querySelectorAll('[role=treeitem]').length`);
  return { ...took, scroll: p95, 'scroll-slowed': slowed.p50, mounted };
}

/** Loads 500 turns of the conversation that is shown, and measures scrolling through them. */
export async function readConversation(page: Page, session: CDPSession): Promise<Record<string, number>> {
  await page.locator('.turn').first().waitFor();
  for (let step = 0; step < 200; step++) {
    const turns = await page.locator('.turn').count();
    if (turns >= 500 || (await page.locator('[data-more=older]').count()) === 0) break;
    await page.evaluate(`document.querySelector('.conversation-view').scrollTop = 0`);
    await page.waitForTimeout(50);
  }
  const turns = await page.locator('.turn').count();
  const nodes = await page.evaluate<number>(`document.querySelectorAll('.conversation-view *').length`);
  const { p95 } = await frames(page, '.conversation-view');
  const slowed = await slowly(session, () => frames(page, '.conversation-view'));
  return { 'conversation-turns': turns, nodes, conversation: p95, 'conversation-slowed': slowed.p50 };
}

/** Does something with a processor that is four times slower. */
async function slowly<T>(session: CDPSession, work: () => Promise<T>): Promise<T> {
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const done = await work();
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return done;
}
