import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault';

/** How long a call of a worker that was believed dead may still be in progress: until its next heartbeat. */
const untilFenced = 3_000;

export const killWorker: Fault = {
  name: 'kill-worker',
  summary: 'SIGKILL of one worker, or of all; others are started',
  repeatsCallsFor: 0,
  async strike({ session: { workers }, random }) {
    const count = random(3) === 0 ? workers.count : 1;
    await Promise.all(workers.running.slice(0, count).map((worker) => workers.kill(worker)));
    // Requests of the dead worker may still be on their way to the model.
    await pause(100);
    await workers.fill();
  },
};

export const stopWorker: Fault = {
  name: 'stop-worker',
  summary: 'SIGSTOP of one worker until it is believed dead, then SIGCONT',
  repeatsCallsFor: untilFenced,
  async strike({ session: { workers }, random, heartbeatTimeoutMs }) {
    const { process: child } = workers.running[random(workers.count)]!;
    child.kill('SIGSTOP');
    try {
      await pause(heartbeatTimeoutMs + random(3_000));
    } finally {
      child.kill('SIGCONT');
    }
  },
};

export const twoWorkers: Fault = {
  name: 'two-workers',
  summary: 'a worker loses its connection to the server but goes on, and another one takes over its agents',
  repeatsCallsFor: untilFenced,
  async strike({ session: { workers }, random, heartbeatTimeoutMs }) {
    const { link } = workers.running[random(workers.count)]!;
    link.cut();
    try {
      await pause(heartbeatTimeoutMs + random(3_000));
    } finally {
      link.mend();
    }
  },
};
