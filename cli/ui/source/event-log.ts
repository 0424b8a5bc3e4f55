import type { Client } from '@temporalio/client';
import { readEvents } from '../../../client/event/read-events';
import type { RunEvent } from '../../../client/event/record';
import { StoredEventTexts } from '../../../client/event/stored-texts';
import { pathOf } from '../../../client/view/reduce-event';
import type { EventsView } from '../../../page/protocol';
import { mapWithLimit } from '../../../domain/kernel';
import type { RunStore } from '../../../domain/store';
import { eventWords } from '../../agent/event-line';

/** For how long what was read is good enough. Events are recorded a moment later anyway. */
const freshMs = 500;
/** A look at a large run takes long, even if nothing is new. It is repeated after this many times that long. */
const restRatio = 10;

/** All events of a run so far. What has been read is not read again. */
export class EventLog {
  private readonly known: RunEvent[] = [];
  /** These events by the path of their agent. */
  private readonly byAgent = new Map<string, RunEvent[]>();
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

  /** Returns all events up to now, or up to a moment ago. */
  async read(): Promise<readonly RunEvent[]> {
    if (Date.now() < this.freshUntil) return this.known;
    this.reading ??= this.readMore().finally(() => (this.reading = undefined));
    await this.reading;
    return this.known;
  }

  /** Returns the last events before a place, of one agent or, for the root, of all. */
  async page(agent: string, before: string | null, limit: number): Promise<EventsView> {
    const all = await this.read();
    const own = agent === '' ? all : (this.byAgent.get(agent) ?? []);
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
    if (own === undefined) this.byAgent.set(path, [event]);
    else own.push(event);
  }
}

function toView(event: RunEvent): EventsView['events'][number] {
  return { at: event.at, path: pathOf(event.agent), kind: event.kind, words: eventWords(event), json: event };
}

/** A change of a file or an artifact, as the events tell it. */
export interface Writing {
  readonly name: string;
  readonly path: string;
  readonly turn: number;
  /** Whether it was refused, because another writer came first. */
  readonly isLost: boolean;
}

/** Finds who changed files (`fileChanged`) or wrote artifacts (`artifactWritten`), in order. */
export function writingsIn(events: readonly RunEvent[], type: 'fileChanged' | 'artifactWritten'): readonly Writing[] {
  const paths = new Map<string, string>();
  const found: Writing[] = [];
  for (const event of events) {
    const path = pathOf(event.agent);
    if (event.kind === 'agent.started') paths.set(path.split('/').at(-1) || 'root', path);
    if (event.kind !== 'session.event' || event.type !== type) continue;
    const name = (event.value as Readonly<Record<string, unknown>> | null)?.[type === 'fileChanged' ? 'path' : 'name'];
    if (typeof name === 'string')
      found.push({ name, path: paths.get(event.writer) ?? path, turn: event.turn, isLost: event.status === 'failed' });
  }
  return found;
}
