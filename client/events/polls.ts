import type { AgentLog } from './agent-log';

const maxPolls = 50;
/** The server itself answers after some twenty seconds. */
const patienceMs = 60_000;
/** With more workflows than polls, each has its turn. */
const shortPatienceMs = 500;

/** Waits at many workflows at once, but not at more than a server should be asked to hold. */
export class Polls {
  private readonly flying = new Map<AgentLog, Promise<void>>();

  /** Returns as soon as there may be news of one of them, at the latest at the deadline. */
  async wait(logs: readonly AgentLog[], root: AgentLog | undefined, deadline: number): Promise<void> {
    const patience = logs.length > maxPolls ? shortPatienceMs : patienceMs;
    const until = Math.min(deadline, Date.now() + patience);
    const idle = logs.filter((log) => !this.flying.has(log)).sort((a, b) => rank(a) - rank(b));
    function rank(log: AgentLog): number {
      return log === root ? -1 : log.lastPolled;
    }
    for (const log of idle.slice(0, maxPolls - this.flying.size)) this.start(log, until);
    await Promise.race(this.flying.values());
  }

  private start(log: AgentLog, until: number): void {
    log.lastPolled = Date.now();
    const flight = log.poll(until).finally(() => this.flying.delete(log));
    // Heard by whoever waits; at other times a lost connection must not end the process.
    flight.catch(() => undefined);
    this.flying.set(log, flight);
  }
}
