import type { ServerResponse } from 'node:http';
import type { ConversationEntry, PartialReply } from '../../../client/conversation/conversation';
import type { Frame } from '../../../page/protocol';
import type { RunUpdate } from '../../../client/view/run-view';
import type { FocusListener } from './focus-reader';
import type { RunFeed } from './run-feed';

/** Bytes that may wait in a connection. Beyond it, nothing is queued: what has changed is sent when the reader is back. */
const maxUnsentBytes = 256 * 1024;
/** Missed entries beyond which the page has to load the conversation again. */
const maxMissedEntries = 1_000;
const pingMs = 15_000;

/** Writes server-sent events to one connection. */
export class FrameWriter {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly response: ServerResponse,
    private readonly epoch: string,
  ) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' });
    this.timer = setInterval(() => {
      if (!this.isFull) this.write({ kind: 'ping', now: Date.now() });
    }, pingMs);
  }

  /** Whether the reader is too slow at the moment. */
  get isFull(): boolean {
    return this.response.writableLength > maxUnsentBytes;
  }

  write(frame: Frame): void {
    const id = 'seq' in frame ? `id: ${this.epoch}.${frame.seq}\n` : '';
    this.response.write(`${id}event: ${frame.kind}\ndata: ${JSON.stringify(frame)}\n\n`);
  }

  /** Calls back when the reader has received what it missed, or has left. */
  onEvents({ drain, close }: { readonly drain: () => void; readonly close: () => void }): void {
    this.response.on('drain', drain);
    this.response.on('close', () => {
      clearInterval(this.timer);
      close();
    });
  }
}

/** Sends one run to one page. */
export class Viewer implements FocusListener {
  private readonly missedRows = new Set<string>();
  private missedEntries: { entries: Map<number, ConversationEntry>; total: number } | undefined;
  private missedReply: { readonly reply: PartialReply | null } | undefined;

  constructor(
    private readonly writer: FrameWriter,
    private readonly feed: RunFeed,
    private readonly focus: string | null,
    /** Number of the last update that the page has. */
    private sent: number,
  ) {}

  /** Sends what the page does not have, or remembers what that is while it is too slow. */
  update(update?: RunUpdate): void {
    if (this.writer.isFull) {
      for (const { path } of update?.rows ?? []) this.missedRows.add(path);
      return;
    }
    const news = this.feed.since(this.sent) ?? this.feed.whole(this.missedRows);
    this.missedRows.clear();
    this.writeUpdate(news);
    this.sent = this.feed.seq;
  }

  entries(entries: readonly ConversationEntry[], total: number): void {
    const missed = this.missedEntries ?? { entries: new Map<number, ConversationEntry>(), total };
    for (const entry of entries) missed.entries.set(entry.position, entry);
    this.missedEntries = { ...missed, total };
    this.writeEntries();
  }

  speaking(reply: PartialReply | null): void {
    this.missedReply = { reply };
    this.writeReply();
  }

  /** Continues after the reader was too slow. */
  resume(): void {
    this.update();
    this.writeEntries();
    this.writeReply();
  }

  /** All frames but the last repeat the number before, so that a page that got only some of them asks for all again. */
  private writeUpdate({ rows, run, incidents, relay, budget, gaps }: RunUpdate): void {
    const about = run ?? this.feed.snapshot().run;
    const hasMore = [run, relay, budget, gaps].some((value) => value !== undefined);
    const more = {
      ...(relay === undefined ? {} : { relay }),
      ...(budget === undefined ? {} : { budget }),
      ...(gaps === undefined ? {} : { gaps }),
    };
    const frames: Frame[] = [
      ...(rows.length === 0 ? [] : [{ kind: 'rows', seq: this.sent, rows } as const]),
      ...(hasMore ? [{ kind: 'run', seq: this.sent, run: about, ...more } as const] : []),
      ...(incidents === undefined ? [] : [{ kind: 'incidents', seq: this.sent, incidents } as const]),
    ];
    frames.forEach((frame, index) => {
      const isLast = index === frames.length - 1;
      this.writer.write('seq' in frame && isLast ? { ...frame, seq: this.feed.seq } : frame);
    });
  }

  private writeEntries(): void {
    const missed = this.missedEntries;
    if (missed === undefined || this.focus === null) return;
    if (missed.entries.size > maxMissedEntries) {
      this.missedEntries = undefined;
      this.writer.write({ kind: 'reset', why: 'The page was too slow to follow the conversation.' });
    } else if (!this.writer.isFull) {
      this.missedEntries = undefined;
      const entries = [...missed.entries.values()].sort((a, b) => a.position - b.position);
      this.writer.write({ kind: 'entries', seq: this.sent, agent: this.focus, entries, total: missed.total });
    }
  }

  private writeReply(): void {
    const missed = this.missedReply;
    if (missed === undefined || this.focus === null || this.writer.isFull) return;
    this.missedReply = undefined;
    this.writer.write({ kind: 'speaking', agent: this.focus, reply: missed.reply });
  }
}
