import { condition } from '@temporalio/workflow';

/**
 * Limits how many delegations of one agent run at the same time, whichever calls or relay items they belong to. First
 * come, first served.
 */
export class Semaphore {
  private running = 0;
  private readonly queue: object[] = [];
  /** Ids of running delegations that were idle, and wait for room to continue. */
  private readonly returning = new Set<string>();

  constructor(
    private readonly size: () => number,
    /** Ids of running delegations that are idle, and therefore do not count. */
    private readonly idle: () => ReadonlySet<string>,
  ) {}

  /**
   * Counts a delegation as running, once there is room for it. Undefined if there is room at once: every promise costs
   * time. A cancelled agent stops waiting. Whoever acquired must call `release`.
   */
  acquire(): Promise<void> | undefined {
    if (this.queue.length > 0 || !this.hasRoom()) return this.wait();
    this.running += 1;
    return undefined;
  }

  /** Counts a delegation as ended. */
  release(): void {
    this.running -= 1;
  }

  /**
   * Counts a running delegation that was idle again, once there is room for it. Like others, it waits for its turn: until
   * then it is idle. Returns false if it ended meanwhile, or if somebody else waits for it already.
   */
  async readmit(id: string): Promise<boolean> {
    if (this.returning.has(id)) return false;
    this.returning.add(id);
    let isAdmitted = false;
    try {
      await this.inTurn(
        () => {
          // It counts as soon as it is no longer idle.
          isAdmitted = this.returning.delete(id);
        },
        () => !this.returning.has(id),
      );
    } finally {
      this.returning.delete(id);
    }
    return isAdmitted;
  }

  /** Ends the waiting of a delegation that has ended. */
  forget(id: string): void {
    this.returning.delete(id);
  }

  private wait(): Promise<void> {
    return this.inTurn(
      () => {
        this.running += 1;
      },
      () => false,
    );
  }

  /** Only the first in the queue is let in. The next one becomes the first when the room it leaves is known. */
  private async inTurn(enter: () => void, isGone: () => boolean): Promise<void> {
    const place = {};
    this.queue.push(place);
    try {
      await condition(() => isGone() || (this.queue[0] === place && this.hasRoom()));
      enter();
    } finally {
      this.queue.splice(this.queue.indexOf(place), 1);
    }
  }

  private hasRoom(): boolean {
    const idle = this.idle();
    const all = this.returning.size === 0 ? idle.size : new Set([...idle, ...this.returning]).size;
    return this.running - all < this.size();
  }
}
