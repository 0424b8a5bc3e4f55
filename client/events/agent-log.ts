import type { Position } from './cursor';
import { idOf, microsecondsOf, type Decoder, type HistoryEvent } from './decoder';
import type { Histories } from './histories';
import { closedBy } from './translate/closed';
import type { Draft } from './translate/step';
import { Translator } from './translate/translator';

/** An event of the run on its way, with its place in the history that it comes from. */
export interface Entry extends Draft {
  readonly workflowId: string;
  readonly runId: string;
  readonly eventId: number;
  /** Which of the events that one history event stands for. */
  readonly index: number;
  readonly time: number;
}

export interface AgentLogOptions {
  readonly decoder: Decoder;
  readonly histories: Histories;
  /** Told of every entry as soon as it is known; `isNew` is false for what was read before. */
  readonly onEntry: (draft: Draft, isNew: boolean) => void;
  readonly isRoot: boolean;
}

/**
 * Everything that one workflow has to tell, through all of its executions: one that continues as new, and one that takes
 * the place of another after a reset, go on in the same log.
 */
export class AgentLog {
  readonly workflowId: string;
  /** Known and not yet handed out, in order. */
  readonly entries: Entry[] = [];
  /** Whether there may be more that is worth reading now, only more to wait for, or nothing any more. */
  state: 'behind' | 'open' | 'ended' = 'behind';
  lastPolled = 0;
  /** What was handed out last. */
  private last: Position;
  private runId: string;
  private translator: Translator;
  private lastRead = 0;
  /** After a reset: what was copied from the execution before is not told again. */
  private muted = false;
  private token: Uint8Array | undefined;
  /** History is read by the page and waited for at the same time; what comes of both is taken one after the other. */
  private taking: Promise<void> = Promise.resolve();
  private reading: Promise<void> | undefined;

  constructor(
    /** Where the reading began. */
    readonly opening: Position,
    private readonly options: AgentLogOptions,
  ) {
    this.workflowId = opening.workflowId;
    this.last = opening;
    this.runId = opening.runId;
    this.translator = new Translator(options.decoder, opening.runId);
  }

  position(): Position {
    return this.last;
  }

  /** Removes and returns the next entry. */
  take(): Entry | undefined {
    const entry = this.entries.shift();
    if (entry === undefined) return undefined;
    const { workflowId, runId, eventId, index } = entry;
    this.last = { workflowId, runId, eventId, count: index + 1 };
    return entry;
  }

  /** Reads what is there. */
  catchUp(): Promise<void> {
    this.reading ??= this.readAll().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** Reads again what is there: for when something must have happened. */
  async refresh(): Promise<void> {
    if (this.state === 'open') this.state = 'behind';
    await this.catchUp();
  }

  /** Waits for something to happen. */
  async poll(deadline: number): Promise<void> {
    const { runId, workflowId } = this;
    const page = await this.options.histories.wait({ workflowId, runId }, this.token, deadline);
    if (page === undefined || runId !== this.runId) return;
    this.token = page.next;
    await this.ingest(runId, page.events);
  }

  private async readAll(): Promise<void> {
    while (this.state === 'behind') {
      const { runId, workflowId } = this;
      let found = false;
      for await (const { events } of this.options.histories.pages({ workflowId, runId })) {
        found = true;
        await this.ingest(runId, events);
      }
      if (this.runId === runId && this.isBehind()) this.state = found ? 'open' : 'ended';
    }
  }

  private isBehind(): boolean {
    return this.state === 'behind';
  }

  private ingest(runId: string, events: readonly HistoryEvent[]): Promise<void> {
    const taken = this.taking.then(async () => {
      for (const event of events) {
        if (runId !== this.runId || idOf(event.eventId) <= this.lastRead) continue;
        this.lastRead = idOf(event.eventId);
        await this.ingestEvent(event);
      }
    });
    this.taking = taken.catch(() => undefined);
    return taken;
  }

  private async ingestEvent(event: HistoryEvent): Promise<void> {
    const reset = event.workflowTaskFailedEventAttributes;
    if (reset?.newRunId === this.runId) await this.unmute(reset.baseRunId);
    const drafts = await this.translator.translate(event);
    drafts.forEach((draft, index) => {
      this.push(event, draft, index);
    });
    const closed = closedBy(event);
    if (closed !== undefined) await this.close(event, closed.next);
  }

  private push(event: HistoryEvent, draft: Draft, index: number): void {
    const { workflowId, runId, opening } = this;
    const eventId = idOf(event.eventId);
    const wasRead =
      runId === opening.runId && (eventId < opening.eventId || (eventId === opening.eventId && index < opening.count));
    const isNew = !this.muted && !wasRead;
    this.options.onEntry(draft, isNew);
    if (isNew) this.entries.push({ ...draft, workflowId, runId, eventId, index, time: microsecondsOf(event) });
  }

  /** Read from a cursor, an execution after a reset must know of children that only the one before it had. */
  private async unmute(baseRunId: string | null | undefined): Promise<void> {
    this.muted = false;
    if (!baseRunId || this.opening.runId !== this.runId || this.opening.eventId === 0) return;
    const base = new Translator(this.options.decoder, baseRunId);
    for await (const { events } of this.options.histories.pages({ workflowId: this.workflowId, runId: baseRunId })) {
      for (const event of events) {
        for (const draft of await base.translate(event)) this.options.onEntry(draft, false);
      }
    }
  }

  /** An execution that was stopped may have been reset; of others only the root is asked, since it costs a request each. */
  private async close(event: HistoryEvent, next: string | undefined): Promise<void> {
    const mayBeReset = this.options.isRoot || event.workflowExecutionTerminatedEventAttributes != null;
    const { workflowId, runId } = this;
    const reset =
      next === undefined && mayBeReset ? await this.options.histories.resetTo({ workflowId, runId }) : undefined;
    const following = next ?? reset;
    if (following === undefined) {
      this.state = 'ended';
      return;
    }
    this.runId = following;
    this.translator = new Translator(this.options.decoder, following);
    this.lastRead = 0;
    this.token = undefined;
    this.muted = reset !== undefined;
    this.state = 'behind';
  }
}
