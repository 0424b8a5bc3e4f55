// Keeps a stream of frames open: resumes after the last frame, reconnects with growing delays, and gives the stream up
// while the tab is hidden, because a browser allows only six connections to one server for all tabs together.
import { api, RequestFailed } from '../api';
import type { Frame } from '../protocol';
import { connection } from '../state/connection';
import { acquireSlot } from './slots';
import { SentEventParser } from './sse';

/** What a stream is about; null: the list of runs. */
export interface Subject {
  readonly run: string | null;
  readonly focus: string | null;
  /** Parameters of the list. */
  readonly list?: string;
}

/** Delays before the attempts to connect again, in milliseconds. */
const delays: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** Time without a frame after which the connection counts as lost. The server sends one at least every 15 s. */
const silenceLimitMs = 45_000;
/** How often a page loads everything again while other tabs have all streams. */
const withoutStreamMs = 3_000;

export class FrameStream {
  private subject: Subject | null = null;
  private after: string | null = null;
  private attempt = 0;
  private reloadedAt = performance.now();
  private abort: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onFrames: (frames: readonly Frame[]) => void) {}

  /** Follows something else. Frames of the same run continue after the last one. */
  follow(subject: Subject, after: string | null): void {
    this.subject = subject;
    this.after = after;
    this.attempt = 0;
    this.connect();
  }

  /** Position after which a stream of the same run continues; null if no frame was numbered. */
  get position(): string | null {
    return this.after;
  }

  /** Closes the stream, but keeps the position. */
  pause(): void {
    clearTimeout(this.timer);
    this.abort?.abort();
    this.abort = null;
  }

  /** Connects at once, if it isn't connected. */
  resume(): void {
    if (this.subject !== null && this.abort === null) this.connect();
  }

  /** Tries again at once. */
  retry(): void {
    this.attempt = 0;
    this.connect();
  }

  private connect(): void {
    this.pause();
    // A hidden tab needs no stream; it resumes when it is shown.
    if (this.subject === null || document.hidden) return;
    const abort = new AbortController();
    this.abort = abort;
    this.read(this.subject, abort).catch((error: unknown) => {
      if (this.abort !== abort) return;
      this.abort = null;
      this.reconnectLater(error);
    });
  }

  private async read({ run, focus, list }: Subject, abort: AbortController): Promise<never> {
    const params = new URLSearchParams(list);
    if (run !== null) params.set('run', run);
    if (focus !== null) params.set('focus', focus);
    if (this.after !== null) params.set('after', this.after);
    const release = await acquireSlot(abort.signal, () => this.reloadSometimes());
    const silence = new Silence(() => abort.abort(new Error('silence')));
    try {
      const body = await api().openStream(`stream?${params.toString()}`, abort.signal);
      const [reader, decoder, parser] = [body.getReader(), new TextDecoder(), new SentEventParser()];
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error('The server ended the stream');
        silence.restart();
        if (this.abort !== abort) throw new Error('Replaced');
        this.receive(parser.add(decoder.decode(value, { stream: true })));
      }
    } finally {
      silence.stop();
      release();
    }
  }

  private reloadSometimes(): void {
    if (performance.now() - this.reloadedAt < withoutStreamMs) return;
    this.reloadedAt = performance.now();
    this.onFrames([{ kind: 'reset', why: 'Other tabs have all streams.' }]);
  }

  private receive(events: ReturnType<SentEventParser['add']>): void {
    if (events.length === 0) return;
    this.attempt = 0;
    connection.value = { is: 'connected' };
    const last = events.filter(({ id }) => id !== '').at(-1);
    if (last !== undefined) this.after = last.id;
    this.onFrames(events.map(({ data }) => JSON.parse(data) as Frame));
  }

  private reconnectLater(error: unknown): void {
    if (error instanceof RequestFailed && (error.status === 401 || error.status === 404)) return;
    const base = delays[Math.min(this.attempt, delays.length - 1)] ?? 0;
    const delay = base * (0.8 + Math.random() * 0.4);
    this.attempt++;
    const before = connection.value;
    connection.value = {
      is: 'lost',
      since: before.is === 'lost' ? before.since : Date.now(),
      retryAt: Date.now() + delay,
    };
    this.timer = setTimeout(() => this.connect(), delay);
  }
}

/** Calls back when nothing was heard for too long. */
class Silence {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onSilence: () => void) {
    this.restart();
  }

  restart(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.onSilence, silenceLimitMs);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
