import type { Client } from '@temporalio/client';
import { readEvents } from '../../../client/event/read-events';
import type { RunEvent } from '../../../client/event/record';
import { StoredEventTexts } from '../../../client/event/stored-texts';
import { pathOf } from '../../../client/view/reduce-event';
import type { EventsView } from '../../../page/protocol';
import { mapWithLimit } from '../../../domain/kernel';
import type { RunStore } from '../../../domain/store';
import { eventWords } from '../../agent/event-line';
import { Writings } from './writings';

/** For how long what was read is good enough. Events are recorded a moment later anyway. */
const freshMs = 500;
/** A look at a large run takes long, even if nothing is new. It is repeated after this many times that long. */
const restRatio = 10;

/** What the page shows of a run's events. */
export interface RunEvents {
  /** Returns the last events before a place, of one agent or, for the root, of all. */
  page(agent: string, before: string | null, limit: number): Promise<EventsView>;
  /** Returns what the events tell about files and artifacts. */
  writings(): Promise<Writings>;
}

/** All events of a run so far. What has been read is not read again. */
export class EventLog implements RunEvents {
  private readonly known: RunEvent[] = [];
  /** These events by the path of their agent. */
  private readonly byAgent = new Map<string, RunEvent[]>();
  private readonly written = new Writings();
  private cursor: string | undefined;
  private reading: Promise<void> | undefined;
  private freshUntil = 0;

  /** Those that were shown, with the texts that only the store has. */
  private readonly completed = new WeakMap<RunEvent, Promise<RunEvent>>();
  private readonly texts: StoredEventTexts | undefined;

  constructor(
    private readonly client: Client,
    private readonly runId: string,
    store: RunStore | undefined,
  ) {
    this.texts = store && new StoredEventTexts(store);
  }

  /** Takes over what was read elsewhere, with the cursor after it. Ignored if something was read here before. */
  begin(events: readonly RunEvent[], cursor: string): void {
    if (this.cursor !== undefined || this.reading !== undefined) return;
    for (const event of events) this.add(event);
    this.cursor = cursor;
    this.freshUntil = Date.now() + freshMs;
  }

  async writings(): Promise<Writings> {
    await this.read();
    return this.written;
  }

  /** Reads all events up to now, or up to a moment ago. */
  private async read(): Promise<void> {
    if (Date.now() < this.freshUntil) return;
    this.reading ??= this.readMore().finally(() => (this.reading = undefined));
    await this.reading;
  }

  async page(agent: string, before: string | null, limit: number): Promise<EventsView> {
    await this.read();
    const own = agent === '' ? this.known : (this.byAgent.get(agent) ?? []);
    const end = before === null ? own.length : Math.min(own.length, Number(before) || 0);
    const start = Math.max(0, end - limit);
    // In order: calls of one turn have one record in the store.
    const events = await mapWithLimit(own.slice(start, end), 1, (event) => this.complete(event));
    return { events: events.map(toView), before: start === 0 ? null : String(start) };
  }

  private complete(event: RunEvent): Promise<RunEvent> {
    const known = this.completed.get(event) ?? this.texts?.completeEvent(event) ?? Promise.resolve(event);
    this.completed.set(event, known);
    return known;
  }

  private async readMore(): Promise<void> {
    const begun = Date.now();
    const options = { onEnd: (last: string) => void (this.cursor = last) };
    for await (const event of readEvents(this.client, this.runId, this.cursor, options)) this.add(event);
    const ended = Date.now();
    this.freshUntil = ended + Math.max(freshMs, restRatio * (ended - begun));
  }

  private add(event: RunEvent): void {
    const path = pathOf(event.agent);
    const own = this.byAgent.get(path);
    this.known.push(event);
    this.written.add(event.agent, event);
    if (own === undefined) this.byAgent.set(path, [event]);
    else own.push(event);
  }
}

/** Returns an event as the page shows it. */
export function toView(event: RunEvent): EventsView['events'][number] {
  return { at: event.at, path: pathOf(event.agent), kind: event.kind, words: eventWords(event), json: event };
}
