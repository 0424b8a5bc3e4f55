import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { idleCache } from '../../store/idle-entries';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('an entry that nobody uses is dropped without being asked for, and one that is used stays', async () => {
  const cache = idleCache<object>({ max: 10 }, 200);
  cache.set('idle', {});
  cache.set('used', {});
  for (let looks = 0; looks < 10; looks += 1) {
    await pause(50);
    cache.get('used');
  }
  expect([...cache.rkeys()]).toEqual(['used']);
  expect(cache.size).toBe(1);
});

test('an entry does not keep the activity that made it in memory', async () => {
  const current = new AsyncLocalStorage<object>();
  const cache = idleCache<object>({ max: 10 });
  const activity = ((): WeakRef<object> => {
    const running = { bytes: new Uint8Array(1_000) };
    current.run(running, () => {
      cache.set('k', { prompt: 'text' });
      cache.get('k');
    });
    return new WeakRef(running);
  })();
  // Timers of a moment, such as the one with which the cache remembers the time, may end first.
  await pause(100);
  collectGarbage();
  expect(cache.get('k')).toEqual({ prompt: 'text' });
  expect(activity.deref()).toBeUndefined();
});
