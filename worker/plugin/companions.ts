import type { Worker } from '@temporalio/worker';

/** How often a companion looks whether the main worker has begun to stop. The SDK reports it in no other way. */
const lookEveryMs = 100;

/** Workers of further task queues, which live and die with the main worker. */
export class Companions {
  private others: readonly Worker[] = [];

  constructor(private readonly main: Worker) {}

  /**
   * Runs the main worker, and creates and runs the others beside it. Resolves when all have stopped. Throws if one fails;
   * the others are then stopped as well, because one of them is of no use alone.
   */
  async run(runMain: () => Promise<void>, createOthers: () => Promise<readonly Worker[]>): Promise<void> {
    // The main worker first: it must be running when this function returns, so that it can be shut down.
    const ends = [this.ended(runMain()), this.ended(this.runOthers(createOthers()))];
    const watch = setInterval(() => {
      if (this.isStopping()) this.stop();
    }, lookEveryMs);
    try {
      await Promise.allSettled(ends);
    } finally {
      clearInterval(watch);
    }
    await Promise.all(ends);
  }

  private async runOthers(creating: Promise<readonly Worker[]>): Promise<void> {
    this.others = await creating;
    const ends = this.others.map((worker) => this.ended(worker.run()));
    // One that never ran could not be released, and would keep the connection open.
    if (this.isStopping()) this.stop();
    await Promise.allSettled(ends);
    await Promise.all(ends);
  }

  private async ended(running: Promise<void>): Promise<void> {
    try {
      await running;
    } finally {
      this.stop();
    }
  }

  private isStopping(): boolean {
    return !['INITIALIZED', 'RUNNING'].includes(this.main.getState());
  }

  private stop(): void {
    for (const worker of [this.main, ...this.others]) if (worker.getState() === 'RUNNING') worker.shutdown();
  }
}
