import { condition } from '@temporalio/workflow';

/**
 * Limits how many delegations of one agent run at the same time, whichever calls or relay items they belong to. First
 * come, first served.
 */
export class Semaphore {
  private running = 0;
  private readonly queue: object[] = [];

  constructor(
    private readonly size: () => number,
    /** Number of running delegations that are idle, and therefore do not count. */
    private readonly idle: () => number,
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

  /** Only the first in the queue is let in. The next one becomes the first when the room it leaves is known. */
  private async wait(): Promise<void> {
    const place = {};
    this.queue.push(place);
    try {
      await condition(() => this.queue[0] === place && this.hasRoom());
      this.running += 1;
    } finally {
      this.queue.splice(this.queue.indexOf(place), 1);
    }
  }

  private hasRoom(): boolean {
    return this.running - this.idle() < this.size();
  }
}
