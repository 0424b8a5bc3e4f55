import { setTimeout as sleep } from 'node:timers/promises';
import type { Play } from '../stage';
import { goalOf, isToolWaiting, toolRuns } from '../work';
import { type Figures, resultBytes } from './figures';

/** What the working process waits for when it is killed: an answer of the model, or the result of the tool. */
type KillPoint = 'model' | 'tool';

interface KillWork {
  readonly turns: number;
  /** Turn in which the process is killed. */
  readonly at: number;
}

/** How long a system that must be asked is watched, to see that it does nothing. */
const watchMs = 3_000;
const patienceMs = 180_000;
const pollMs = 10;

/**
 * Kills the working process in the middle of a run, and starts a new one at once. Measures what is paid for and done
 * again, and the time until the next request to the model.
 */
export async function playKill(play: Play, point: KillPoint, { turns, at }: KillWork): Promise<Figures> {
  const { model, id, place, contender } = play;
  const goal = goalOf({ turns, bytes: resultBytes, from: 0, ...(point === 'tool' && { waitsIn: at }) });
  await model.behave({ pauses: [], ...(point === 'model' && { hangsIn: at }) });
  const first = await play.start();
  const ended = first.call('run', id, goal).then(() => Promise.reject(new Error('it ended before it was killed')));
  await firstOf(point === 'model' ? model.told('hangs') : until(() => isToolWaiting(place.folder)), ended);
  const calls = model.arrived.length;
  const killed = performance.now();
  await first.kill();
  const second = await play.start();
  let watched = 0;
  if (contender.mustBeAsked) {
    await sleep(watchMs);
    watched = watchMs;
    if (model.arrived.length > calls) throw new Error('it continued by itself');
  }
  const end = second.call('finish', id, goal);
  await firstOf(
    until(() => model.arrived.length > calls),
    end,
  );
  const resumed = performance.now();
  await end;
  return named(point, {
    calls_again: model.arrived.length - (turns + 1),
    tools_again: toolRuns(place.folder) - turns,
    seconds: (resumed - killed - watched) / 1_000,
    asked: contender.mustBeAsked ? 1 : 0,
  });
}

function named(point: KillPoint, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`killed_in_${point}.${name}`, value]));
}

/** Waits for the first of these. The other one may fail later: that is of no interest any more. */
async function firstOf(...all: readonly Promise<void>[]): Promise<void> {
  for (const one of all) one.catch(() => undefined);
  await Promise.race(all);
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`nothing happened within ${patienceMs / 1_000} s`);
    await sleep(pollMs);
  }
}
