/**
 * Tells others how things stand. The server does not promise that signals arrive in the order in which they were sent, so
 * one goes after the other, each with the latest news.
 */
export class Teller {
  /** Who is being told, and whether there is news since. */
  private readonly underWay = new Map<string, { isStale: boolean; done: Promise<void> }>();

  tell(whom: string, send: () => Promise<void>): void {
    const current = this.underWay.get(whom);
    if (current !== undefined) {
      current.isStale = true;
      return;
    }
    const telling = { isStale: false, done: Promise.resolve() };
    this.underWay.set(whom, telling);
    telling.done = this.keepTelling(whom, send);
  }

  async done(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all([...this.underWay.values()].map(({ done }) => done));
  }

  private async keepTelling(whom: string, send: () => Promise<void>): Promise<void> {
    try {
      for (let isStale = true; isStale; isStale = this.isStale(whom)) await send();
    } catch {
      // Whoever is gone needs no telling.
    } finally {
      this.underWay.delete(whom);
    }
  }

  private isStale(whom: string): boolean {
    const current = this.underWay.get(whom);
    if (current?.isStale !== true) return false;
    current.isStale = false;
    return true;
  }
}
