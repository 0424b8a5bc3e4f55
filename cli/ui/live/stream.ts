import type { ServerResponse } from 'node:http';
import type { PageSource, RunsQuery } from '../page-source';
import { FocusReader } from './focus-reader';
import { streamList } from './list-stream';
import type { RunFeed } from './run-feed';
import { RunFeeds } from './run-feeds';
import { FrameWriter, Viewer } from './viewer';

/** What a page wants to follow. */
export interface StreamRequest {
  /** Null for the list of runs. */
  readonly runId: string | null;
  readonly focus: string | null;
  /** `<epoch>.<seq>` of the last frame that the page has; null for what comes from now on. */
  readonly after: string | null;
  /** Which runs the list has. */
  readonly list: RunsQuery;
}

/** The agents of a run whose conversations are on a page. */
interface Focused {
  readonly readers: Map<string, FocusReader>;
  readonly stopListening: () => void;
}

/** Sends live changes to pages. */
export class LiveStreams {
  readonly feeds: RunFeeds;
  private readonly focused = new Map<RunFeed, Focused>();

  constructor(
    private readonly source: PageSource,
    /** Identifies this process: numbers of updates are only comparable within one. */
    readonly epoch: string,
    lingerMs?: number,
  ) {
    this.feeds = new RunFeeds(source, lingerMs);
  }

  /** Answers a request with a stream that lasts until the page leaves. Rejects before the answer if the run does not exist. */
  async open({ runId, focus, after, list }: StreamRequest, response: ServerResponse): Promise<void> {
    if (runId === null) {
      streamList(this.source, list, new FrameWriter(response, this.epoch), this.epoch);
      return;
    }
    const { feed, release } = await this.feeds.acquire(runId);
    // The page may have left while the run was read.
    if (response.destroyed) {
      release();
      return;
    }
    const writer = new FrameWriter(response, this.epoch);
    const known = after === null ? feed.seq : this.numberIn(after, feed);
    writer.write({ kind: 'hello', epoch: this.epoch, seq: known ?? feed.seq, now: Date.now() });
    if (known === undefined) writer.write({ kind: 'reset', why: 'What has changed meanwhile is no longer known.' });
    const viewer = new Viewer(writer, feed, focus, known ?? feed.seq);
    const deaf = feed.listen((update) => {
      viewer.update(update);
    });
    const unfocus = focus === null ? undefined : this.readerOf(feed, focus).listen(viewer);
    writer.onEvents({
      drain: () => {
        viewer.resume();
      },
      close: () => {
        deaf();
        unfocus?.();
        this.closeUnused(feed);
        release();
      },
    });
    viewer.update();
  }

  close(): void {
    for (const { readers } of this.focused.values()) for (const reader of readers.values()) reader.close();
    this.focused.clear();
    this.feeds.closeAll();
  }

  /** Returns the number that a page has; undefined if what came after it is not known here. */
  private numberIn(after: string, feed: RunFeed): number | undefined {
    const [epoch, seq] = after.split('.');
    const number = Number(seq);
    return epoch === this.epoch && Number.isInteger(number) && feed.since(number) !== undefined ? number : undefined;
  }

  private readerOf(feed: RunFeed, agent: string): FocusReader {
    const { readers } = this.focusedOf(feed);
    const isWorking = (): boolean => feed.row(agent)?.endedAt === null;
    const reader = readers.get(agent) ?? new FocusReader(this.source, feed.runId, agent, isWorking);
    readers.set(agent, reader);
    return reader;
  }

  private focusedOf(feed: RunFeed): Focused {
    const known = this.focused.get(feed);
    if (known !== undefined) return known;
    const readers = new Map<string, FocusReader>();
    const stopListening = feed.listen(({ touched }) => {
      for (const path of touched) void readers.get(path)?.poke();
    });
    const focused = { readers, stopListening };
    this.focused.set(feed, focused);
    return focused;
  }

  private closeUnused(feed: RunFeed): void {
    const focused = this.focused.get(feed);
    if (focused === undefined) return;
    for (const [agent, reader] of focused.readers) {
      if (!reader.isUnused) continue;
      reader.close();
      focused.readers.delete(agent);
    }
    if (focused.readers.size > 0) return;
    focused.stopListening();
    this.focused.delete(feed);
  }
}
