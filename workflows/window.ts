import { condition } from '@temporalio/workflow';

/** Lets only so many things go on at a time; who waits longest goes first. */
export class Window {
  private running = 0;

  constructor(private readonly size: number) {}

  async enter(): Promise<void> {
    if (this.running >= this.size) await condition(() => this.running < this.size);
    this.running += 1;
  }

  leave(): void {
    this.running -= 1;
  }
}
