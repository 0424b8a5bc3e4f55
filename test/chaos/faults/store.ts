import { setTimeout as pause } from 'node:timers/promises';
import type { StoreTrouble } from '../session/worker-plan';
import type { Fault } from './fault';

/** A store in trouble for some seconds, for all workers. No call is repeated: a paid answer waits until it can be stored. */
function storeFault(trouble: StoreTrouble, summary: string): Fault {
  return {
    name: `store-${trouble}`,
    summary,
    async strike({ session: { workers }, random }) {
      workers.order({ order: 'store', trouble });
      try {
        await pause(1_500 + random(3_000));
      } finally {
        workers.order({ order: 'store', trouble: null });
      }
    },
  };
}

export const storeFaults: readonly Fault[] = [
  storeFault('full', 'the disk of the store is full'),
  storeFault('read-only', 'the disk of the store is read-only'),
  storeFault('slow', 'every call to the file system of the store takes 0.4 s longer'),
];
