import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault';

export const duplicateDelivery: Fault = {
  name: 'duplicate-delivery',
  summary:
    'workers lose every other response to a session write and send it again; the operator sends everything twice',
  async strike({ session: { workers }, operator }) {
    workers.order({ order: 'lose-answers', loses: true });
    if (operator !== undefined) operator.sendsTwice = true;
    try {
      await pause(5_000);
    } finally {
      workers.order({ order: 'lose-answers', loses: false });
    }
  },
};

export const continueAsNew: Fault = {
  name: 'continue-as-new',
  summary: 'agents continue as new after every turn, and hosts of shared sessions after every request',
  tuning: { turnsPerExecution: 1, requestsPerHost: 1 },
  strike: () => Promise.resolve(),
};
