/**
 * Runs tasks concurrently as long as the bytes that they need together stay below a maximum, first come, first served.
 * A task that needs more than the maximum runs alone.
 */
export class ByteLimit {
  private used = 0;
  private readonly waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  constructor(private readonly max: number) {}

  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const needed = Math.min(bytes, this.max);
    await new Promise<void>((start) => {
      this.waiting.push({ bytes: needed, start });
      this.startNext();
    });
    try {
      return await work();
    } finally {
      this.used -= needed;
      this.startNext();
    }
  }

  private startNext(): void {
    for (let next = this.waiting[0]; next && this.used + next.bytes <= this.max; next = this.waiting[0]) {
      this.waiting.shift();
      this.used += next.bytes;
      next.start();
    }
  }
}
