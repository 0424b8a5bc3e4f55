import type { ReadPosition } from './cursor';
import { type Decoder, type HistoryEvent, idOf, microsecondsOf } from './decoder';
import type { Histories, Page } from './histories';
import { PageSize } from './page-size';
import type { PendingEvent } from './translate/step';
import { closedBy } from './translate/tools';
import { isTranslated, Translator } from './translate/translator';

/** An event of the run that has not been delivered yet, with its position in its history. */
export interface LogEntry extends PendingEvent {
  readonly workflowId: string;
  readonly executionId: string;
  /** Id of the history event that it was translated from. */
  readonly eventId: number;
  /** Zero-based index among the run events that one history event is translated into. */
  readonly index: number;
  /** Microseconds since 1970. */
  readonly time: number;
}

/** Dependencies of an `AgentLog`. */
export interface AgentLogOptions {
  readonly decoder: Decoder;
  readonly histories: Histories;
  /** Called for every event as soon as it is read. `isNew` is false for events before the starting position. */
  readonly onEntry: (draft: PendingEvent, isNew: boolean) => void;
  readonly isRoot: boolean;
}

/** The rest of an execution's history. */
interface UnreadPages {
  readonly pages: AsyncGenerator<Page>;
  /** Whether no page has been read yet. */
  isEmpty: boolean;
}

/**
 * Reads the events of one workflow through all of its executions. An execution that continues as new, or that replaces
 * another execution after a reset, continues the same log.
 */
export class AgentLog {
  readonly workflowId: string;
  /** Events that were read but not delivered yet, in order. */
  readonly entries: LogEntry[] = [];
  /** `behind`: more can be read now. `open`: more may happen. `ended`: nothing more will happen. */
  state: 'behind' | 'open' | 'ended' = 'behind';
  /** Time of the last poll, in milliseconds since 1970. */
  lastPolled = 0;
  /** Position after the event that was delivered last. */
  private last: ReadPosition;
  private executionId: string;
  private translator: Translator;
  private lastRead = 0;
  /** Time of the last event of this execution, in microseconds since 1970. */
  private lastTime = 0;
  /** True while reading events that a reset copied from the previous execution: these are not delivered again. */
  private muted = false;
  private token: Uint8Array | undefined;
  private readonly pageSize = new PageSize();
  /** History is read in pages and polled concurrently. Events from both are processed one at a time, in this chain. */
  private processing: Promise<void> = Promise.resolve();
  private reading: Promise<void> | undefined;
  private unread: UnreadPages | undefined;

  constructor(
    /** Position at which reading started. */
    readonly opening: ReadPosition,
    private readonly options: AgentLogOptions,
  ) {
    this.workflowId = opening.workflowId;
    this.last = opening;
    this.executionId = opening.executionId;
    this.translator = new Translator(options.decoder, opening.executionId);
  }

  /** Returns the position after the event that was delivered last. */
  position(): ReadPosition {
    return this.last;
  }

  /** Removes and returns the next entry. */
  take(): LogEntry | undefined {
    const entry = this.entries.shift();
    if (entry === undefined) return undefined;
    const { workflowId, executionId, eventId, index } = entry;
    this.last = { workflowId, executionId, eventId, count: index + 1 };
    return entry;
  }

  /**
   * Reads on until there is an entry or nothing more is available now. Entries that were not taken are never more than
   * a page, however long the history is.
   */
  catchUp(): Promise<void> {
    this.reading ??= this.readOn().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** Reads again, for when a new event is expected. */
  async refresh(): Promise<void> {
    if (this.state === 'open') this.state = 'behind';
    await this.catchUp();
  }

  /** Waits until there are new events, at most until the deadline. */
  async poll(deadline: number): Promise<void> {
    const { executionId, workflowId } = this;
    const page = await this.options.histories.wait({ workflowId, executionId }, this.token, deadline, this.pageSize);
    if (page === undefined || executionId !== this.executionId) return;
    this.token = page.next;
    await this.ingest(executionId, page.events);
  }

  private async readOn(): Promise<void> {
    while (this.state === 'behind' && this.entries.length === 0) {
      const { executionId, workflowId } = this;
      const reading = (this.unread ??= {
        pages: this.options.histories.pages({ workflowId, executionId }),
        isEmpty: true,
      });
      try {
        await this.readPage(executionId, reading);
      } catch (error) {
        this.unread = undefined;
        throw error;
      }
    }
  }

  private async readPage(executionId: string, reading: UnreadPages): Promise<void> {
    const page = await reading.pages.next();
    if (page.done !== true) {
      reading.isEmpty = false;
      await this.ingest(executionId, page.value.events);
      return;
    }
    this.unread = undefined;
    if (this.executionId === executionId && this.state === 'behind') this.state = reading.isEmpty ? 'ended' : 'open';
  }

  private ingest(executionId: string, events: readonly HistoryEvent[]): Promise<void> {
    const processed = this.processing.then(async () => {
      await this.options.decoder.open(events.filter(isTranslated));
      for (const event of events) {
        if (executionId !== this.executionId || idOf(event.eventId) <= this.lastRead) continue;
        this.lastRead = idOf(event.eventId);
        if (isTranslated(event)) await this.ingestEvent(event);
      }
    });
    this.processing = processed.catch(() => undefined);
    return processed;
  }

  private async ingestEvent(event: HistoryEvent): Promise<void> {
    const reset = event.workflowTaskFailedEventAttributes;
    if (reset?.newRunId === this.executionId) await this.unmute(reset.baseRunId);
    this.translator.translate(event).forEach((draft, index) => {
      this.push(event, draft, index);
    });
    const closed = closedBy(event);
    if (closed !== undefined) await this.close(event, closed.next);
  }

  private push(event: HistoryEvent, draft: PendingEvent, index: number): void {
    const { workflowId, executionId, opening } = this;
    const eventId = idOf(event.eventId);
    const wasRead =
      executionId === opening.executionId &&
      (eventId < opening.eventId || (eventId === opening.eventId && index < opening.count));
    const isNew = !this.muted && !wasRead;
    this.options.onEntry(draft, isNew);
    // What a turn did inside may have ended before something that was recorded while it ran.
    const time = (this.lastTime = Math.max(this.lastTime, draft.time ?? microsecondsOf(event)));
    if (isNew) this.entries.push({ ...draft, workflowId, executionId, eventId, index, time });
  }

  /** Ends the muting. If reading started in this execution, also notes children that only the previous one started. */
  private async unmute(baseRunId: string | null | undefined): Promise<void> {
    this.muted = false;
    if (!baseRunId || this.opening.executionId !== this.executionId || this.opening.eventId === 0) return;
    const base = new Translator(this.options.decoder, baseRunId);
    for await (const { events } of this.options.histories.pages({
      workflowId: this.workflowId,
      executionId: baseRunId,
    })) {
      const translated = events.filter(isTranslated);
      await this.options.decoder.open(translated);
      for (const event of translated) for (const draft of base.translate(event)) this.options.onEntry(draft, false);
    }
  }

  /**
   * A terminated execution may have been reset. Of other executions only the root is checked, because each check is a
   * request.
   */
  private async close(event: HistoryEvent, next: string | undefined): Promise<void> {
    const mayBeReset = this.options.isRoot || event.workflowExecutionTerminatedEventAttributes != null;
    const { workflowId, executionId } = this;
    const reset =
      next === undefined && mayBeReset ? await this.options.histories.resetTo({ workflowId, executionId }) : undefined;
    const following = next ?? reset;
    // What is read later would be of another execution, and what was read stays in memory as long as its pages do.
    this.unread = undefined;
    if (following === undefined) {
      this.state = 'ended';
      return;
    }
    this.executionId = following;
    this.translator = new Translator(this.options.decoder, following);
    this.lastRead = 0;
    this.lastTime = 0;
    this.token = undefined;
    this.muted = reset !== undefined;
    this.state = 'behind';
  }
}
