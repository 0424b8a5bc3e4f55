import type { RunStore } from '../../domain/store';
import type { LogEntry } from '../event/agent-log';
import { PackedEntries, type ToldEntry } from '../event/packed-entries';
import type { AgentRecord } from './agent-record';
import { linkRef } from './chain-links';
import { EventRecord } from './event-record';

/**
 * The agents of a run, as its events tell about them. Whoever has read all events need not read the history of every agent
 * again. For one moment: an agent that is retried later is not noticed.
 */
export class ReadAgents {
  private readonly agents = new Map<string, ReadAgent>();

  /** Takes an event of any agent into account. Pass every event exactly once, in order. */
  note(entry: LogEntry): void {
    const known = this.agents.get(entry.workflowId) ?? new ReadAgent();
    this.agents.set(entry.workflowId, known);
    known.note(entry);
  }

  /** Returns what an agent that has ended did; undefined if its history has to be read. */
  record(workflowId: string, store: RunStore): AgentRecord | undefined {
    const agent = this.agents.get(workflowId);
    return agent?.hasEnded === true ? new EndedAgent(store, agent.entries) : undefined;
  }

  /** Returns what was read of an agent, in order. */
  entries(workflowId: string): Iterable<ToldEntry> {
    return this.agents.get(workflowId)?.entries ?? [];
  }

  /** Whether an agent has ended, and was neither reset nor started again. */
  hasEnded(workflowId: string): boolean {
    return this.agents.get(workflowId)?.hasEnded === true;
  }

  /** Lets go of what was read of an agent. */
  forget(workflowId: string): void {
    this.agents.delete(workflowId);
  }
}

/** An agent of which all events were read. */
class ReadAgent {
  readonly entries = new PackedEntries();
  private starts = 0;
  private wasReset = false;
  private isOver = false;

  note(entry: LogEntry): void {
    this.entries.add(entry);
    const { kind } = entry.body;
    if (kind === 'agent.started') this.starts += 1;
    if (kind === 'agent.reset') this.wasReset = true;
    if (!ends.has(kind)) return;
    this.isOver = true;
    this.entries.pack();
  }

  /** Whether it ran once and has ended. If it was reset or started again, only its history tells which turns count. */
  get hasEnded(): boolean {
    return this.starts === 1 && this.isOver && !this.wasReset;
  }
}

/** The record of an agent that ran once. */
class EndedAgent extends EventRecord {
  readonly hasEnded = true;

  constructor(store: RunStore, entries: Iterable<ToldEntry>) {
    super(store);
    for (const entry of entries) {
      this.note(entry);
      if (entry.turn !== undefined) this.head = linkRef(entry.turn.head);
    }
  }
}

const ends: ReadonlySet<LogEntry['body']['kind']> = new Set([
  'agent.completed',
  'agent.failed',
  'agent.cancelled',
  'agent.terminated',
  'agent.timedOut',
]);
