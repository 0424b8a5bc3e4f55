/**
 * Signals the latest state to other workflows. The server does not guarantee that signals arrive in the order in which
 * they were sent, so each target gets one at a time, with the newest state.
 */
export class LatestSignal {
  /** Targets with a signal in flight, and whether the state has changed since it was sent. */
  private readonly inFlight = new Map<string, { isStale: boolean; done: Promise<void> }>();

  /**
   * Sends the state to a target now, or again after the signal in flight. `send` must read the state when it is called.
   */
  send(target: string, send: () => Promise<void>): void {
    const current = this.inFlight.get(target);
    if (current !== undefined) {
      current.isStale = true;
      return;
    }
    const sending = { isStale: false, done: Promise.resolve() };
    this.inFlight.set(target, sending);
    sending.done = this.sendUntilCurrent(target, send);
  }

  /** Resolves when no signal is in flight. */
  async allSent(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all([...this.inFlight.values()].map(({ done }) => done));
  }

  private async sendUntilCurrent(target: string, send: () => Promise<void>): Promise<void> {
    try {
      for (let isStale = true; isStale; isStale = this.isStale(target)) await send();
    } catch {
      // Ignore errors: the target workflow has closed.
    } finally {
      this.inFlight.delete(target);
    }
  }

  private isStale(target: string): boolean {
    const current = this.inFlight.get(target);
    if (current?.isStale !== true) return false;
    current.isStale = false;
    return true;
  }
}
