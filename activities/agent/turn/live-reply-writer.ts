import { log } from '@temporalio/activity';
import type { BlobRef, VolatileValues } from '../../../domain/store';
import { type LiveReply, liveReplyEveryMs, liveReplyName } from '../../../domain/transcript';
import type { ReplyPart } from '../../dependencies';

/** Time between two writes while a reply arrives, in milliseconds. */
const writeEveryMs = 250;
/** Maximum characters of the text and of the thinking that are shown. Of longer ones, the end is. */
const maxText = 32_000;
const maxThinking = 8_000;
const maxCalls = 64;

/**
 * Shows what an agent's model says while it says it, by overwriting one small value in the store. It never fails and
 * never waits: what can't be written is not shown. Turns that end at once cost nothing. A store without volatile values
 * shows nothing.
 */
export class LiveReplyWriter {
  private readonly name: string;
  private shown: LiveReply | undefined;
  private isChanged = false;
  private writtenAt = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Whether there may be a value: an attempt that died has left one. */
  private mayExist: boolean;
  /** Writes are made one after the other, so that an older picture never replaces a newer one. */
  private writing: Promise<void> | undefined;

  constructor(
    private readonly values: VolatileValues | undefined,
    private readonly agent: { readonly workflowId: string; readonly attempt: number },
  ) {
    this.name = liveReplyName(agent.workflowId);
    this.mayExist = agent.attempt > 1;
  }

  /** Begins with a request to the model. Returns what is called with every part of its reply. */
  begin(turn: number): ((part: ReplyPart) => void) | undefined {
    if (this.values === undefined) return undefined;
    const startedAt = new Date().toISOString();
    const { attempt } = this.agent;
    this.show({ v: 1, turn, attempt, startedAt, at: startedAt, thinking: '', text: '', calling: [], head: null });
    this.timer ??= setInterval(() => {
      this.tick();
    }, writeEveryMs).unref();
    return (part) => {
      if (this.shown !== undefined) this.show(withPart(this.shown, part));
    };
  }

  /** The reply is recorded, in the transcript that has this head. Further turns may follow. */
  recorded(head: BlobRef): void {
    if (this.shown !== undefined) this.show({ ...this.shown, thinking: '', text: '', calling: [], head });
  }

  /** Removes the value: whatever was said is recorded, or counts for nothing. */
  close(): void {
    clearInterval(this.timer);
    this.shown = undefined;
    const { values, name } = this;
    if (values !== undefined && this.mayExist) this.enqueue(() => values.remove(name));
  }

  private show(reply: LiveReply): void {
    this.shown = reply;
    this.isChanged = true;
  }

  private tick(): void {
    const isDue = this.isChanged || Date.now() - this.writtenAt > liveReplyEveryMs;
    // A store that is slower than this gets fewer pictures.
    if (this.shown === undefined || !isDue || this.writing !== undefined) return;
    this.isChanged = false;
    this.mayExist = true;
    this.writtenAt = Date.now();
    const { shown, values, name } = this;
    const bytes = Buffer.from(JSON.stringify({ ...shown, at: new Date().toISOString() }));
    this.enqueue(async () => values?.write(name, bytes));
  }

  private enqueue(work: () => Promise<void>): void {
    const next: Promise<void> = (this.writing ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => {
        log.debug('What the model says could not be shown', { error: String(error) });
      })
      .finally(() => {
        if (this.writing === next) this.writing = undefined;
      });
    this.writing = next;
  }
}

function withPart(shown: LiveReply, part: ReplyPart): LiveReply {
  switch (part.type) {
    case 'text':
      return { ...shown, text: (shown.text + part.text).slice(-maxText) };
    case 'thinking':
      return { ...shown, thinking: (shown.thinking + part.text).slice(-maxThinking) };
    case 'toolCall':
      return shown.calling.length < maxCalls ? { ...shown, calling: [...shown.calling, part.name] } : shown;
  }
}
