import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault';

/**
 * Workers connect again after a pause that grows, and the server's timers have run on meanwhile: a call in progress may be
 * believed dead until its next heartbeat arrives.
 */
const untilHeardAgain = 10_000;

export const killServer: Fault = {
  name: 'kill-server',
  summary: 'SIGKILL of the Temporal server; a new one starts on its database',
  repeatsCallsFor: untilHeardAgain,
  async strike({ session: { server }, random }) {
    await server.kill();
    await pause(random(2_000));
    await server.restart();
  },
};

export const killBoth: Fault = {
  name: 'kill-both',
  summary: 'SIGKILL of the server and of workers at once',
  repeatsCallsFor: untilHeardAgain,
  async strike(round) {
    const { server, workers } = round.session;
    await Promise.all([server.kill(), ...workers.running.slice(0, 1).map((worker) => workers.kill(worker))]);
    await server.restart();
    await workers.fill();
  },
};
