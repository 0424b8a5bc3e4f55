import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { type LiveLine, watchRun } from '../../../cli/agent/follow';
import { readView, watchTree } from '../../../cli/delegation/follow-tree';
import type { Canvas, TreeView } from '../../../cli/delegation/tree-canvas';
import { DetailsReader } from '../../../client/delegation/read-tree';
import { Polls } from '../../../client/event/polls';
import { FiguresReader } from '../../../client/spending/run-figures';
import { runWorkflowId } from '../../../domain/kernel';
import { until } from '../../support/until';
import { StandIn } from '../support/stand-in';

/** Counts the promises that are in use. A promise that has not settled keeps one for every reaction to it. */
function promisesInUse(): number {
  return queryObjects(Promise, { format: 'count' });
}

test('following a run keeps nothing for each look at it', async () => {
  const standIn = await StandIn.start();
  const runId = await standIn.play({ waits: true });
  let looks = 0;
  const line: LiveLine = { show: () => void (looks += 1), close: () => undefined };
  const stopped = new AbortController();
  const watching = watchRun(standIn.client, runId, line, stopped.signal, 1);
  const after = async (count: number): Promise<number> => {
    await until(() => looks >= count || undefined);
    return promisesInUse();
  };
  const early = await after(20);
  expect((await after(180)) - early).toBeLessThan(100);
  expect(getEventListeners(stopped.signal, 'abort').length).toBeLessThan(3);
  stopped.abort();
  await standIn.baton('steer', runId, 'That is all.');
  expect(await watching).toMatchObject({ kind: 'completed' });
  await standIn.close();
});

test('following a tree keeps nothing for each look at it', async () => {
  const standIn = await StandIn.start();
  const runId = await standIn.play({ waits: true });
  const openStore = (): Promise<never> => Promise.reject(new Error('there is no store here'));
  const reader = new DetailsReader(standIn.client, new FiguresReader({ client: standIn.client, openStore }));
  let looks = 0;
  const canvas: Canvas = { show: () => void (looks += 1), notice: () => undefined, close: () => undefined };
  const stopped = new AbortController();
  const look = (): Promise<TreeView> => readView(standIn.client, runWorkflowId(runId), false, reader);
  const watching = watchTree(look, canvas, stopped.signal, 1);
  const after = async (count: number): Promise<number> => {
    await until(() => looks >= count || undefined);
    return promisesInUse();
  };
  const early = await after(10);
  expect((await after(70)) - early).toBeLessThan(40);
  expect(getEventListeners(stopped.signal, 'abort').length).toBeLessThan(3);
  await standIn.baton('steer', runId, 'That is all.');
  expect(await watching).toMatchObject({ hasEnded: true });
  await standIn.close();
});

test('a poll without news keeps nothing for each of the others', async () => {
  const polls = new Polls();
  const forever = new Promise<void>(() => undefined);
  const quiet = { lastPolled: 0, poll: () => forever };
  const busy = { lastPolled: 0, poll: () => sleep(0) };
  const waitTimes = async (times: number): Promise<number> => {
    for (let i = 0; i < times; i += 1) await polls.wait([quiet, busy], undefined, Number.MAX_SAFE_INTEGER);
    return promisesInUse();
  };
  const early = await waitTimes(10);
  expect((await waitTimes(500)) - early).toBeLessThan(150);
});

test('a failed poll is reported to the one that waits', async () => {
  const lost = { lastPolled: 0, poll: () => Promise.reject(new Error('lost')) };
  await expect(new Polls().wait([lost], undefined, Number.MAX_SAFE_INTEGER)).rejects.toThrow('lost');
});
