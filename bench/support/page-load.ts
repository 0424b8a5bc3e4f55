import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { generatedId } from '../../test/support/ui/generated-run';
import type { GeneratedSource } from '../../test/support/ui/generated-source';

const changesPerSecond = 200;

/** Changes agents of a run, 200 times a second. */
export async function changePage(source: GeneratedSource, runId: string, seconds: number): Promise<void> {
  const count = source.view(runId).agents.length;
  const perStep = changesPerSecond / 10;
  for (let step = 0; step < seconds * 10; step++) {
    const rows = Array.from({ length: perStep }, (_, index) => {
      const number = 1 + ((step * perStep + index * 7) % (count - 1));
      return { path: source.view(runId).agents[number]?.path ?? generatedId(number), turn: 5 + (step % 100) };
    });
    source.push(runId, { rows });
    await delay(100);
  }
}

/** What the page keeps in memory, in megabytes. */
export async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 1_000_000;
}

/** Percentage of a core that the page's main thread was busy: processor time, which other programs don't change. */
export async function measurePage(session: CDPSession, work: () => Promise<void>): Promise<number> {
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? 0;
  };
  const [before, start] = [await busy(), performance.now()];
  await work();
  return (((await busy()) - before) / ((performance.now() - start) / 1_000)) * 100;
}
