import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Measures for how long this process gets nothing done, because the machine is busy with others or it was stopped. */
export class StallWatch {
  private readonly delays = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.delays.enable();
  }

  /** The longest stall since the last call, in milliseconds. */
  take(): number {
    const longest = Math.round(this.delays.max / 1e6);
    this.delays.reset();
    return longest;
  }
}
