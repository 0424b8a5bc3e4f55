import { ReadAgents } from '../../../client/conversation/read-agents';
import type { LogEntry } from '../../../client/event/agent-log';
import type { ToldEntry } from '../../../client/event/packed-entries';
import { toEvent } from '../../../client/event/read-events';
import { StoredEventTexts } from '../../../client/event/stored-texts';
import { runWorkflowId } from '../../../domain/kernel';
import type { RunStore } from '../../../domain/store';
import type { EventsView } from '../../../page/protocol';
import { type RunEvents, toView } from './event-log';
import { Writings } from './writings';

/** Entries of the whole run that are kept: as many as a recording shows. */
const keptEntries = 1_000;

type AgentEntry = ToldEntry & Pick<LogEntry, 'workflowId'>;

/**
 * The events of a run that is read once, as for a report. Those of its agents are packed, and of all together only the last
 * are kept, so that a run with thousands of agents needs little memory.
 */
export class ReadOnceEvents implements RunEvents {
  /** The agents, as these events tell about them. */
  readonly agents = new ReadAgents();
  private readonly written = new Writings();
  private last: LogEntry[] = [];
  private count = 0;
  private readonly texts: StoredEventTexts | undefined;

  constructor(
    private readonly runId: string,
    store: RunStore | undefined,
  ) {
    this.texts = store && new StoredEventTexts(store);
  }

  /** Takes an entry of the log into account. Pass every entry exactly once, in order. */
  note(entry: LogEntry): void {
    this.agents.note(entry);
    this.written.add(entry.workflowId, entry.body);
    this.count += 1;
    this.last.push(entry);
    if (this.last.length === 2 * keptEntries) this.last = this.last.slice(keptEntries);
  }

  /** Returns the last events, and never a page before them. */
  async page(agent: string, _before: string | null, limit: number): Promise<EventsView> {
    const own = agent === '' ? this.last : this.entriesOf(agent);
    const shown = own.slice(-Math.min(limit, keptEntries));
    const events: EventsView['events'][number][] = [];
    // In order: calls of one turn have one record in the store.
    for (const entry of shown) {
      const body = this.texts === undefined ? entry.body : await this.texts.complete(entry);
      events.push(toView(toEvent(entry, body)));
    }
    const before = (agent === '' ? this.count : own.length) - shown.length;
    return { events, before: before === 0 ? null : String(before) };
  }

  writings(): Promise<Writings> {
    return Promise.resolve(this.written);
  }

  private entriesOf(agent: string): AgentEntry[] {
    const workflowId = `${runWorkflowId(this.runId)}/${agent}`;
    return Array.from(this.agents.entries(workflowId), (entry) => ({ ...entry, workflowId }));
  }
}
