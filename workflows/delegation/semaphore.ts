import { condition } from '@temporalio/workflow';

/** Limits how many tasks run concurrently, first come, first served. */
export class Semaphore {
  private running = 0;

  constructor(
    private readonly size: number,
    /** Number of running tasks that are idle, and therefore do not count. */
    private readonly idle: () => number = () => 0,
  ) {}

  /** Waits until a task may start, and counts it as running. */
  async acquire(): Promise<void> {
    if (!this.hasRoom()) await condition(() => this.hasRoom());
    this.running += 1;
  }

  /** Counts a task as ended. */
  release(): void {
    this.running -= 1;
  }

  private hasRoom(): boolean {
    return this.running - this.idle() < this.size;
  }
}
