import { condition } from '@temporalio/workflow';

/** Lets only so many things go on at a time; who waits longest goes first. */
export class Window {
  private running = 0;

  constructor(
    private readonly size: number,
    /** How many of those inside do nothing at the moment, and so take no room. */
    private readonly idle: () => number = () => 0,
  ) {}

  async enter(): Promise<void> {
    if (!this.hasRoom()) await condition(() => this.hasRoom());
    this.running += 1;
  }

  leave(): void {
    this.running -= 1;
  }

  private hasRoom(): boolean {
    return this.running - this.idle() < this.size;
  }
}
