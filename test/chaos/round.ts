import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { runIdOf } from '../../domain/kernel';
import { forkWorker, kill } from '../support/worker-process';
import { journaledCalls } from './journal';
import { observe, type Observation } from './observe';
import { play, type Play } from './play';
import { seeded } from './random';
import { callName, expectedCalls } from './tree';

/** When the worker dies: this many milliseconds after the model received the call with this zero-based number. */
interface Kill {
  readonly call: number;
  readonly afterMs: number;
}

export interface Round {
  readonly seed: number;
  readonly kills: readonly Kill[];
  readonly calls: number;
  /** Number of repeated calls. */
  readonly repeated: number;
  readonly ms: number;
  /** Descriptions of what went wrong; empty in a good round. */
  readonly violations: readonly string[];
}

const maxKills = 3;
const deadlineMs = 100_000;

/** Runs the tree once. Its worker is killed at moments that follow from the seed, and replaced. */
export async function playRound(seed: number, expected: Observation): Promise<Round> {
  const begun = Date.now();
  const kills = killsFor(seed);
  return play(false, async (tree) => {
    const { observed, atKills } = await disturb(tree, kills);
    const names = tree.asked.map(callName);
    return {
      seed,
      kills,
      calls: names.length,
      repeated: names.length - new Set(names).size,
      ms: Date.now() - begun,
      violations: [...differences(expected, observed), ...repetitions(names, atKills)],
    };
  });
}

function killsFor(seed: number): readonly Kill[] {
  const random = seeded(seed);
  const count = 1 + random(maxKills);
  return Array.from({ length: count }, () => ({ call: random(expectedCalls), afterMs: random(250) })).sort(
    (a, b) => a.call - b.call,
  );
}

/** The calls that the model had received when the worker died, and those whose replies were on the disk. */
interface AtKill {
  readonly asked: ReadonlySet<string>;
  readonly journaled: ReadonlySet<string>;
}

async function disturb(tree: Play, kills: readonly Kill[]): Promise<{ observed: Observation; atKills: AtKill[] }> {
  const { harness, handle, asked } = tree;
  const atKills: AtKill[] = [];
  let worker: ChildProcess | undefined;
  try {
    worker = await forkWorker(harness);
    for (const { call, afterMs } of kills) {
      await inTime(harness.model.waitForCall(call));
      await pause(afterMs);
      await kill(worker);
      // Requests of the dead worker may still be on their way to the model.
      await pause(100);
      const journaled = await journaledCalls(harness, runIdOf(handle.workflowId)!);
      atKills.push({ asked: new Set(asked.map(callName)), journaled });
      worker = await forkWorker(harness);
    }
    return { observed: await inTime(observe(harness, handle, asked)), atKills };
  } finally {
    if (worker !== undefined) await kill(worker);
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = pause(deadlineMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`The run did not get on within ${deadlineMs / 1_000} s`);
  });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => {
    stop.abort();
  });
}

/** Says how an observation differs from what was expected. */
export function differences(expected: Observation, observed: Observation): string[] {
  return (Object.keys(expected) as (keyof Observation)[])
    .filter((field) => !isDeepStrictEqual(observed[field], expected[field]))
    .map((field) => `${field}: ${firstDifference(expected[field], observed[field])}`);
}

/** One difference is enough to investigate, and showing all would fill screens. */
function firstDifference(expected: unknown, observed: unknown): string {
  if (typeof expected === 'object' && typeof observed === 'object' && expected !== null && observed !== null) {
    const [before, now] = [new Map(Object.entries(expected)), new Map(Object.entries(observed))];
    const name = [...before.keys(), ...now.keys()].find((key) => !isDeepStrictEqual(before.get(key), now.get(key)));
    if (name !== undefined) return `${name}: ${firstDifference(before.get(name), now.get(name))}`;
  }
  return `${JSON.stringify(observed)} instead of ${JSON.stringify(expected)}`;
}

/** A call in progress when a worker dies may be repeated once for that; a call whose reply was journaled, never. */
function repetitions(names: readonly string[], atKills: readonly AtKill[]): string[] {
  return [...new Set(names)].flatMap((name) => {
    const times = names.filter((other) => other === name).length;
    const underWay = atKills.filter(({ asked, journaled }) => asked.has(name) && !journaled.has(name)).length;
    if (times <= 1 + underWay) return [];
    return [`call ${name} was made ${times} times, though it was under way at ${underWay} kills`];
  });
}
