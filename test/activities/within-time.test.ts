import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withinTime } from '../../activities/within-time';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Work that ends only when it is told to stop. */
const untilStopped = (stop: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    stop.addEventListener('abort', () => {
      resolve((stop.reason as Error).name);
    });
  });

describe('work within a time', () => {
  test('is stopped when the time is up, also if garbage was collected meanwhile', async () => {
    const outer = new AbortController();
    const stopped = withinTime(outer.signal, 300, untilStopped);
    for (let times = 0; times < 3; times += 1) {
      await pause(30);
      collectGarbage();
    }
    expect(await Promise.race([stopped, pause(30_000, 'never', { ref: false })])).toBe('TimeoutError');
  });

  test('is stopped with the signal, with its reason', async () => {
    const outer = new AbortController();
    const stopped = withinTime(outer.signal, 60_000, untilStopped);
    outer.abort(new DOMException('Enough', 'AbortError'));
    expect(await stopped).toBe('AbortError');
    expect(await withinTime(outer.signal, 60_000, (stop) => Promise.resolve(stop.aborted))).toBe(true);
  });

  test('leaves neither a listener nor a timer behind', async () => {
    const outer = new AbortController();
    const added = jest.spyOn(outer.signal, 'addEventListener');
    const removed = jest.spyOn(outer.signal, 'removeEventListener');
    expect(await withinTime(outer.signal, 60_000, () => Promise.resolve('done'))).toBe('done');
    await expect(withinTime(outer.signal, 60_000, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
    expect(await withinTime(undefined, 60_000, () => Promise.resolve('done'))).toBe('done');
  });
});
