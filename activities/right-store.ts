import { checkValue } from '../domain/kernel';
import { type Store, storeLocationSchema } from '../domain/store';
import { growingCache } from '../store/growing-cache';
import { assertHoldsRun } from '../store/run-moves';
import { whileHeartbeating } from './heartbeat';

/** How long a run that is in this store is not looked for again: it may be moved to another one at any time. */
const trustedForMs = 10_000;

/**
 * Lets every activity that reads or writes a run's data begin by asking whether the run is to be continued in this store.
 * Otherwise it fails with `Store.Other`, which is repeated until a worker has the right one.
 */
export function inRightStore<Activities extends object>(store: Store, activities: Activities): Activities {
  const trusted = growingCache<true>(10_000, { ttl: trustedForMs });
  const check = async (input: unknown): Promise<void> => {
    const { data: location } = checkValue(storeLocationSchema, input);
    if (location === undefined) return;
    const known = `${location.storeId} ${location.runId}`;
    if (trusted.has(known)) return;
    await whileHeartbeating(() => assertHoldsRun(store, location));
    trusted.set(known, true);
  };
  type Activity = (input: unknown) => Promise<unknown>;
  const checked = Object.entries(activities).map(([name, work]: [string, Activity]): [string, Activity] => [
    name,
    async (input) => {
      await check(input);
      return work(input);
    },
  ]);
  return Object.fromEntries(checked) as Activities;
}
