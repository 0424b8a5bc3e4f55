import { type ChaosSession, openSession } from './session';

/** All sessions that were opened. Their servers and workers would outlive this process. */
export class Sessions {
  private readonly opened: Promise<ChaosSession>[] = [];
  private isClosed = false;

  async open(): Promise<ChaosSession> {
    if (this.isClosed) throw new Error('No session is opened any more.');
    const opening = openSession();
    this.opened.push(opening);
    return opening;
  }

  /** Closes them, also those that are still being opened. */
  async close(): Promise<void> {
    this.isClosed = true;
    // A session that can't be opened has cleaned up.
    const sessions = await Promise.allSettled(this.opened);
    for (const session of sessions) if (session.status === 'fulfilled') await session.value.close();
  }
}
