import { continueAsNew, duplicateDelivery } from './delivery';
import type { Fault } from './fault';
import { resetAgent, terminateAgent } from './operator';
import { providerFaults } from './provider';
import { killBoth, killServer } from './server';
import { storeFaults } from './store';
import { killWorker, stopWorker, twoWorkers } from './workers';

/** Every kind of fault, by name. */
export const faults: ReadonlyMap<string, Fault> = new Map(
  [
    killWorker,
    stopWorker,
    twoWorkers,
    killServer,
    killBoth,
    ...providerFaults,
    ...storeFaults,
    duplicateDelivery,
    continueAsNew,
    resetAgent,
    terminateAgent,
  ].map((fault) => [fault.name, fault]),
);
