import type { State, Worker } from '@temporalio/worker';

/** A running Baton worker: one Temporal worker for each of its task queues, started and stopped together. */
export interface BatonWorker {
  /**
   * Polls all task queues until `shutdown` is called or the process gets SIGTERM or SIGINT, and resolves when everything
   * in progress has stopped. Throws if a worker fails; the others are then stopped as well.
   */
  run(): Promise<void>;
  /** Runs until the work has ended, then shuts down. Returns what the work returned. */
  runUntil<T>(work: Promise<T> | (() => Promise<T>)): Promise<T>;
  /** Stops polling. Other workers continue what is in progress. */
  shutdown(): void;
  /** State of the workers; `FAILED` if one of them has failed. */
  getState(): State;
}

/** Several Temporal workers that live and die together. */
export class WorkerGroup implements BatonWorker {
  /** `onEnd` is called when all workers have stopped. */
  constructor(
    private readonly workers: readonly [Worker, ...Worker[]],
    private readonly onEnd: () => Promise<void> = () => Promise.resolve(),
  ) {}

  async run(): Promise<void> {
    const ends = await Promise.allSettled(this.workers.map((worker) => this.runOne(worker)));
    await this.onEnd();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async runUntil<T>(work: Promise<T> | (() => Promise<T>)): Promise<T> {
    const running = this.run();
    try {
      const ended = typeof work === 'function' ? work() : work;
      // A worker that fails must not leave the caller waiting for work that nobody does.
      return await Promise.race([ended, running.then(() => ended)]);
    } finally {
      this.shutdown();
      await running;
    }
  }

  shutdown(): void {
    for (const worker of this.workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  }

  getState(): State {
    const states = this.workers.map((worker) => worker.getState());
    return states.find((state) => state === 'FAILED') ?? this.workers[0].getState();
  }

  /** One worker of a group is of no use alone, so the others stop with it. */
  private async runOne(worker: Worker): Promise<void> {
    try {
      await worker.run();
    } finally {
      this.shutdown();
    }
  }
}
