/** A write that succeeded this recently shows that the store can be written. */
const recentMs = 1_000;

/**
 * Finds out whether files can be written. A recent write answers that without touching the disk; otherwise `probe`
 * writes a file.
 */
export class WriteProbe {
  private writtenAt = Number.NEGATIVE_INFINITY;
  private running: Promise<void> | undefined;

  constructor(private readonly probe: () => Promise<void>) {}

  /** Call this after a successful write. */
  written(): void {
    this.writtenAt = performance.now();
  }

  /** Call this after a write that failed. */
  failed(): void {
    this.writtenAt = Number.NEGATIVE_INFINITY;
  }

  /** Throws if nothing can be written. Concurrent callers share one probe. */
  async check(): Promise<void> {
    if (performance.now() - this.writtenAt < recentMs) return;
    this.running ??= this.probe().finally(() => {
      this.running = undefined;
    });
    await this.running;
    this.written();
  }
}
