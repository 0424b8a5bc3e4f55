import type { State, Worker } from '@temporalio/worker';

/** A Baton worker: one Temporal worker for each of its task queues, started and stopped together. */
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

/** A Temporal worker with `BatonPlugin` that can be stopped at any time, also twice. */
export class StoppableWorker implements BatonWorker {
  private hasFailed = false;

  constructor(private readonly worker: Worker) {}

  async run(): Promise<void> {
    try {
      await this.worker.run();
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
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
    if (this.worker.getState() === 'RUNNING') this.worker.shutdown();
  }

  getState(): State {
    return this.hasFailed ? 'FAILED' : this.worker.getState();
  }
}
