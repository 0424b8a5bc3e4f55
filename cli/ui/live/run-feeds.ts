import type { PageSource } from '../page-source';
import { RunFeed } from './run-feed';

/** How long a run is followed after the last page has left it, so that a reload finds it. */
const defaultLingerMs = 60_000;

interface Shared {
  readonly feed: RunFeed;
  users: number;
  timer?: NodeJS.Timeout;
}

/** The runs that are followed at the moment, each once. */
export class RunFeeds {
  private readonly open = new Map<string, Shared>();
  /** Higher than all numbers of feeds that were closed, so that a number never means two things in one process. */
  private base = 0;

  constructor(
    private readonly source: PageSource,
    private readonly lingerMs = defaultLingerMs,
  ) {}

  /** Number of runs that are followed. */
  get size(): number {
    return this.open.size;
  }

  /** Returns the feed of a run when it can be shown. Call `release` when done with it. */
  async acquire(runId: string): Promise<{ readonly feed: RunFeed; readonly release: () => void }> {
    const shared = this.open.get(runId) ?? { feed: new RunFeed(this.source, runId, this.base), users: 0 };
    this.open.set(runId, shared);
    clearTimeout(shared.timer);
    shared.users += 1;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      shared.users -= 1;
      if (shared.users === 0) this.closeLater(runId, shared);
    };
    try {
      await shared.feed.ready;
    } catch (error) {
      this.close(runId, shared);
      throw error;
    }
    return { feed: shared.feed, release };
  }

  closeAll(): void {
    for (const [runId, shared] of this.open) this.close(runId, shared);
  }

  private closeLater(runId: string, shared: Shared): void {
    shared.timer = setTimeout(() => {
      this.close(runId, shared);
    }, this.lingerMs);
    shared.timer.unref();
  }

  private close(runId: string, shared: Shared): void {
    clearTimeout(shared.timer);
    shared.feed.close();
    this.base = Math.max(this.base, shared.feed.seq + 1);
    if (this.open.get(runId) === shared) this.open.delete(runId);
  }
}
