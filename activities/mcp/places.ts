/** Something that occupies a place and can give it up while it is not used. */
export interface Occupant {
  /** When it was last used, in milliseconds. Undefined while it is in use. */
  readonly idleSince: number | undefined;
  /** Gives the place up. */
  evict(): Promise<void>;
}

/** A limited number of places. When all are taken, the occupant that has been idle for longest gives its place up. */
export class Places {
  private readonly occupants = new Set<Occupant>();
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /** Takes a place. Resolves to false if none is free within `maxWaitMs`. */
  async take(occupant: Occupant, maxWaitMs: number): Promise<boolean> {
    const deadline = Date.now() + maxWaitMs;
    while (this.occupants.size >= this.max) {
      const [idle] = [...this.occupants]
        .filter(({ idleSince }) => idleSince !== undefined)
        .sort((a, b) => (a.idleSince ?? 0) - (b.idleSince ?? 0));
      if (idle !== undefined) {
        await idle.evict();
        this.leave(idle);
        continue;
      }
      const left = deadline - Date.now();
      if (left <= 0) return false;
      await this.changed(left);
    }
    this.occupants.add(occupant);
    return true;
  }

  leave(occupant: Occupant): void {
    if (this.occupants.delete(occupant)) this.notify();
  }

  /** Call it when an occupant has become idle. */
  notify(): void {
    this.waiting.splice(0).forEach((wake) => {
      wake();
    });
  }

  private changed(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, maxMs);
      this.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
