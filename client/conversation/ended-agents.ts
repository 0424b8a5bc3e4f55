import type { RunStore } from '../../domain/store';
import type { LogEntry } from '../event/agent-log';
import type { AgentRecord } from './agent-record';
import { linkRef } from './chain-links';
import { EventRecord } from './event-record';

/**
 * What the events of a run tell about its agents that have ended. Whoever has read all events need not read the history
 * of every agent again. For one moment: an agent that is retried later is not noticed.
 */
export class EndedAgents {
  private readonly agents = new Map<string, EndedAgent>();

  constructor(private readonly store: RunStore) {}

  /** Takes an event of any agent into account. Pass every event exactly once, in order. */
  note(entry: LogEntry): void {
    const known = this.agents.get(entry.workflowId) ?? new EndedAgent(this.store);
    this.agents.set(entry.workflowId, known);
    known.note(entry);
  }

  /** Returns what is known about an agent; undefined if its history has to be read. */
  record(workflowId: string): AgentRecord | undefined {
    const agent = this.agents.get(workflowId);
    return agent?.hasEnded === true ? agent : undefined;
  }
}

/** An agent that ran once. For one that was reset or started again, only its history tells which turns count. */
class EndedAgent extends EventRecord {
  private starts = 0;
  private wasReset = false;
  private isOver = false;

  override note(entry: LogEntry): void {
    super.note(entry);
    const { body } = entry;
    if (entry.turn !== undefined) this.head = linkRef(entry.turn.head);
    if (body.kind === 'agent.started') this.starts += 1;
    if (body.kind === 'agent.reset') this.wasReset = true;
    if (ends.has(body.kind)) this.isOver = true;
  }

  get hasEnded(): boolean {
    return this.starts === 1 && this.isOver && !this.wasReset;
  }
}

const ends: ReadonlySet<LogEntry['body']['kind']> = new Set([
  'agent.completed',
  'agent.failed',
  'agent.cancelled',
  'agent.terminated',
  'agent.timedOut',
]);
