import { afterActivation } from './after-activation';

interface Sending {
  /** Whether the state has changed since it was sent. */
  isStale: boolean;
  done: Promise<void>;
}

/**
 * Signals the latest state to other workflows. The server does not guarantee that signals arrive in the order in which
 * they were sent, so each target gets one at a time, with the newest state.
 */
export class LatestSignal {
  /** Targets to which something is being sent. */
  private readonly targets = new Map<string, Sending>();

  /**
   * Sends the state to a target when the current activation is done, or after the signal that is on its way. `send` must
   * read the state when it is called.
   */
  send(target: string, send: () => Promise<void>): void {
    const current = this.targets.get(target);
    if (current !== undefined) {
      current.isStale = true;
      return;
    }
    const sending = { isStale: true, done: Promise.resolve() };
    this.targets.set(target, sending);
    sending.done = this.sendUntilCurrent(target, sending, send);
  }

  /** Sends a target nothing more: it has closed. */
  forget(target: string): void {
    const sending = this.targets.get(target);
    if (sending !== undefined) sending.isStale = false;
  }

  /** Resolves when nothing is being sent. */
  async allSent(): Promise<void> {
    while (this.targets.size > 0) await Promise.all([...this.targets.values()].map(({ done }) => done));
  }

  private async sendUntilCurrent(target: string, sending: Sending, send: () => Promise<void>): Promise<void> {
    try {
      while (sending.isStale) {
        await afterActivation();
        // It may have been forgotten meanwhile.
        if (!isStale(sending)) break;
        sending.isStale = false;
        await send();
      }
    } catch {
      // Ignore errors: the target workflow has closed.
    } finally {
      this.targets.delete(target);
    }
  }
}

/** A function, because the compiler does not know that others change it. */
function isStale(sending: Sending): boolean {
  return sending.isStale;
}
