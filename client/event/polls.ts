import type { AgentLog } from './agent-log';

/** Maximum concurrent long polls, so that the server does not have to keep too many requests open. */
const maxPolls = 50;
/** Maximum time of one poll. The server itself answers an idle poll after about twenty seconds. */
const patienceMs = 60_000;
/** Maximum time of one poll when there are more workflows than polls, so that each gets its turn. */
const shortPatienceMs = 500;

/** Polls many workflows at the same time, up to a limit. */
export class Polls {
  private readonly pending = new Map<AgentLog, Promise<void>>();

  /** Returns as soon as one of them may have new events, or at the deadline. The root is polled first. */
  async wait(logs: readonly AgentLog[], root: AgentLog | undefined, deadline: number): Promise<void> {
    const patience = logs.length > maxPolls ? shortPatienceMs : patienceMs;
    const until = Math.min(deadline, Date.now() + patience);
    const idle = logs.filter((log) => !this.pending.has(log)).sort((a, b) => rank(a) - rank(b));
    function rank(log: AgentLog): number {
      return log === root ? -1 : log.lastPolled;
    }
    for (const log of idle.slice(0, maxPolls - this.pending.size)) this.start(log, until);
    await Promise.race(this.pending.values());
  }

  private start(log: AgentLog, until: number): void {
    log.lastPolled = Date.now();
    const poll = log.poll(until).finally(() => this.pending.delete(log));
    // The caller that awaits this handles the rejection. Until then it must not crash the process as unhandled.
    poll.catch(() => undefined);
    this.pending.set(log, poll);
  }
}
