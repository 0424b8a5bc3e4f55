import type { ConversationEntry, ConversationPage, PartialReply } from '../../../client/conversation/conversation';
import type { PageSource } from '../page-source';

/** Number of newest entries that a page receives first. */
const firstEntries = 50;
const speakingMs = 300;
/** Time after which a conversation that could not be read is read again. */
const retryMs = 1_000;
/** Time after the last event in which a read may have been answered with what was read before it. */
const settledMs = 3_500;

/** Receives the conversation of the agent in focus. */
export interface FocusListener {
  entries(entries: readonly ConversationEntry[], total: number): void;
  speaking(reply: PartialReply | null): void;
}

/** Reads the conversation of one agent while pages show it: new entries when it does something, and what it is saying. */
export class FocusReader {
  private readonly listeners = new Set<FocusListener>();
  /** Number of listeners, including those that wait for the first entries. */
  private users = 0;
  private known = new Map<number, string>();
  private latest: ConversationPage | undefined;
  private reading: Promise<void> | undefined;
  private isStale = true;
  private timer: NodeJS.Timeout | undefined;
  private settling: NodeJS.Timeout | undefined;
  private reply: PartialReply | null = null;
  private isHearing = false;
  private isClosed = false;

  constructor(
    private readonly source: PageSource,
    private readonly runId: string,
    private readonly agent: string,
    /** Whether the agent may be speaking now. */
    private readonly isWorking: () => boolean,
  ) {}

  /** Adds a listener, which receives the newest entries first. */
  listen(listener: FocusListener): () => void {
    let isOver = false;
    this.users += 1;
    const begin = (): void => {
      if (isOver) return;
      if (this.latest !== undefined) listener.entries(this.latest.entries, this.latest.total);
      if (this.reply !== null) listener.speaking(this.reply);
      this.listeners.add(listener);
    };
    if (this.latest !== undefined && !this.isStale) begin();
    else void this.poke().then(begin);
    this.timer ??= setInterval(() => void this.hear(), speakingMs);
    return () => {
      if (isOver) return;
      isOver = true;
      this.users -= 1;
      this.listeners.delete(listener);
    };
  }

  get isUnused(): boolean {
    return this.users === 0;
  }

  /**
   * Reads the newest entries, because something has happened to the agent, and once more when nothing has happened for a
   * while: what was read moments before an event is shared with who asks moments after it.
   */
  poke(): Promise<void> {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => void this.readNow(), settledMs);
    this.settling.unref();
    return this.readNow();
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    clearTimeout(this.settling);
    this.listeners.clear();
  }

  private async readNow(): Promise<void> {
    this.isStale = true;
    this.reading ??= this.read().finally(() => {
      this.reading = undefined;
    });
    await this.reading;
  }

  private async read(): Promise<void> {
    while (this.isStale && !this.isClosed) {
      this.isStale = false;
      // A text that can't be read is reported where it was asked for.
      const page = await this.source.entries(this.runId, this.agent, { limit: firstEntries }).catch(() => undefined);
      if (page === undefined) {
        this.readAgainLater();
        return;
      }
      const written = new Map(page.entries.map((entry) => [entry.position, JSON.stringify(entry)]));
      const changed = page.entries.filter(({ position }) => this.known.get(position) !== written.get(position));
      const hasGrown = page.total !== this.latest?.total;
      this.known = written;
      this.latest = page;
      if (changed.length > 0 || hasGrown) for (const each of this.listeners) each.entries(changed, page.total);
    }
  }

  /** Nothing else may happen to the agent, so a page would otherwise never show what could not be read. */
  private readAgainLater(): void {
    const timer = setTimeout(() => {
      if (!this.isClosed) void this.poke();
    }, retryMs);
    timer.unref();
  }

  private async hear(): Promise<void> {
    if (this.listeners.size === 0 || this.isHearing) return;
    this.isHearing = true;
    const reply = this.isWorking() ? await this.source.speaking(this.runId, this.agent).catch(() => null) : null;
    this.isHearing = false;
    if (this.isClosed || JSON.stringify(reply) === JSON.stringify(this.reply)) return;
    this.reply = reply;
    for (const each of this.listeners) each.speaking(reply);
  }
}
