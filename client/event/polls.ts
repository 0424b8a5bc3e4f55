/** A log that can wait for new events. */
export interface PolledLog {
  /** Time of the last poll, in milliseconds since 1970. */
  lastPolled: number;
  poll(deadline: number): Promise<void>;
}

/** Maximum concurrent long polls, so that the server does not have to keep too many requests open. */
const maxPolls = 50;
/** Maximum time of one poll. The server itself answers an idle poll after about twenty seconds. */
const patienceMs = 60_000;
/** Maximum time of one poll when there are more workflows than polls, so that each gets its turn. */
const shortPatienceMs = 500;

/**
 * Polls many workflows at the same time, up to a limit.
 *
 * Every poll wakes the one that waits, instead of taking part in a race: a promise keeps the reactions of all races until
 * it settles, so those of a quiet workflow would accumulate while others are busy.
 */
export class Polls {
  private readonly pending = new Set<PolledLog>();
  /** Results of polls that ended since the last wait. */
  private readonly ended: PromiseSettledResult<void>[] = [];
  private wake: () => void = () => undefined;

  /** Returns as soon as one of them may have new events, or at the deadline. The root is polled first. */
  async wait(logs: readonly PolledLog[], root: PolledLog | undefined, deadline: number): Promise<void> {
    const patience = logs.length > maxPolls ? shortPatienceMs : patienceMs;
    const until = Math.min(deadline, Date.now() + patience);
    const idle = logs.filter((log) => !this.pending.has(log)).sort((a, b) => rank(a) - rank(b));
    function rank(log: PolledLog): number {
      return log === root ? -1 : log.lastPolled;
    }
    for (const log of idle.slice(0, maxPolls - this.pending.size)) this.start(log, until);
    if (this.ended.length === 0) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    for (const result of this.ended.splice(0)) if (result.status === 'rejected') throw result.reason;
  }

  private start(log: PolledLog, until: number): void {
    log.lastPolled = Date.now();
    this.pending.add(log);
    void Promise.allSettled([log.poll(until)]).then(([result]) => {
      this.pending.delete(log);
      this.ended.push(result);
      this.wake();
    });
  }
}
