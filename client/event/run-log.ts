import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/kernel';
import { AgentLog, type LogEntry } from './agent-log';
import { decodeCursor, encodeCursor, invalidCursor, type ReadPosition } from './cursor';
import { Decoder } from './decoder';
import { Histories } from './histories';
import { Polls } from './polls';
import type { ChildToOpen, PendingEvent } from './translate/step';

/** Maximum time to wait for the ends of children, which the server stops after the root has ended. */
const graceMs = 2_000;
/** Maximum histories that are fetched ahead. */
const maxAhead = 48;

/** What the open logs have now. */
interface Look {
  /** Logs of which more can be read. They come first, because what they have may be earlier. */
  readonly behind: readonly AgentLog[];
  /** An entry about the end of a child, which has to be read again before. */
  readonly unconfirmed: { readonly entry: LogEntry; readonly child: AgentLog } | undefined;
  /** The log with the earliest entry that may be delivered. */
  readonly first: AgentLog | undefined;
}

/**
 * Merges the events of all workflows of a run into one sequence. A child's log is opened by the event that starts it,
 * so
 * none of its events comes earlier. The event of its end is held back until all events of the child are delivered.
 */
export class RunLog {
  private readonly rootId: string;
  private readonly histories: Histories;
  private readonly decoder: Decoder;
  private readonly polls = new Polls();
  private readonly open = new Map<string, AgentLog>();
  /** Logs of children whose start has been read but not delivered, and whose histories are fetched ahead. */
  private readonly ahead = new Map<string, AgentLog>();
  /** Starts of further children, whose histories are fetched when it is their turn. */
  private readonly upcoming: ReadPosition[] = [];
  /** Workflow ids of all children whose start has been delivered. */
  private readonly known = new Set<string>();
  /** Entries about the end of a child whose log was read again before delivering them. */
  private readonly confirmed = new WeakSet<LogEntry>();
  /** Part of every cursor even after its end, because a run that has ended can be reset. */
  private root: AgentLog | undefined;
  private grace: number | undefined;

  constructor(
    client: Client,
    private readonly runId: string,
    private readonly signal: AbortSignal,
  ) {
    this.rootId = runWorkflowId(runId);
    this.histories = new Histories(client, signal);
    this.decoder = new Decoder(client);
  }

  /** Opens the log at the beginning or at a cursor. Throws a `BatonError` for a cursor that can't be used. */
  async begin(cursor: string | undefined): Promise<void> {
    if (cursor === undefined) {
      await this.openChild({ workflowId: this.rootId, executionId: undefined });
      return;
    }
    for (const position of decodeCursor(this.runId, cursor)) {
      const isRoot = position.workflowId === this.rootId;
      if (isRoot && (await this.histories.firstEvent(position)) === undefined) {
        throw invalidCursor('The server no longer has the history that this cursor points into.');
      }
      this.known.add(position.workflowId);
      this.add(this.newLog(position));
    }
  }

  /** Returns a cursor after the event that was delivered last. */
  cursor(): string {
    const logs = new Set([...(this.root === undefined ? [] : [this.root]), ...this.open.values()]);
    return encodeCursor(
      this.runId,
      [...logs].map((log) => log.position()),
    );
  }

  /** Returns the next event that is available now. */
  async next(): Promise<LogEntry | undefined> {
    for (;;) {
      const { behind, unconfirmed, first } = this.look();
      if (behind.length > 0) await Promise.all(behind.map((log) => log.catchUp()));
      else if (unconfirmed !== undefined) {
        this.confirmed.add(unconfirmed.entry);
        await unconfirmed.child.refresh();
      } else {
        const entry = first?.entries[0];
        if (first === undefined || entry === undefined) return undefined;
        // Before the entry is taken: if a request fails here, the cursor must not be after it.
        if (entry.opens !== undefined) await this.openChild(entry.opens);
        first.take();
        if (isOver(first)) this.open.delete(keyOf(first.opening));
        return entry;
      }
    }
  }

  /** Waits until there may be more events; false when there will be none. */
  async more(): Promise<boolean> {
    const logs = [...this.open.values()].filter(({ state }) => state === 'open');
    const root = this.root?.state === 'open' ? this.root : undefined;
    const deadline = root === undefined ? this.endOfGrace() : Number.MAX_SAFE_INTEGER;
    if (logs.length === 0 || this.signal.aborted || Date.now() >= deadline) return false;
    await this.polls.wait(logs, root, deadline);
    return !this.signal.aborted;
  }

  private endOfGrace(): number {
    this.grace ??= Date.now() + graceMs;
    return this.grace;
  }

  /** Takes a look at all open logs, and closes those that are over. It is done for every event, so in one go. */
  private look(): Look {
    const behind: AgentLog[] = [];
    let unconfirmed: Look['unconfirmed'];
    let first: AgentLog | undefined;
    for (const [key, log] of this.open) {
      const entry = log.entries[0];
      if (entry === undefined) {
        if (log.state === 'behind') behind.push(log);
        else if (log.state === 'ended') this.open.delete(key);
        continue;
      }
      const child = entry.awaits === undefined ? undefined : this.holdingBack(entry);
      if (child?.entries.length === 0) unconfirmed ??= { entry, child };
      if (child === undefined && isEarlier(entry, first?.entries[0])) first = log;
    }
    return { behind, unconfirmed, first };
  }

  /** Returns the child whose end an entry reports, while that child may still have undelivered entries. */
  private holdingBack(entry: LogEntry): AgentLog | undefined {
    for (const log of this.open.values()) {
      if (log.workflowId !== entry.awaits || isOver(log)) continue;
      if (log.entries.length > 0 || !this.confirmed.has(entry)) return log;
    }
    return undefined;
  }

  private add(log: AgentLog): void {
    if (log.workflowId === this.rootId) this.root = log;
    this.open.set(keyOf(log.opening), log);
  }

  private async openChild({ workflowId, executionId }: ChildToOpen): Promise<void> {
    // An existing child is known already, unless the event that started it was lost in a reset.
    if (executionId === undefined && this.known.has(workflowId)) return;
    const first = executionId ?? (await this.firstExecutionOf(workflowId));
    this.known.add(workflowId);
    if (first === undefined) return;
    const position = startOf(workflowId, first);
    const log = this.ahead.get(keyOf(position)) ?? this.newLog(position);
    this.ahead.delete(keyOf(position));
    this.fetchAhead();
    if (!this.open.has(keyOf(position))) this.add(log);
  }

  private async firstExecutionOf(workflowId: string): Promise<string | undefined> {
    const event = await this.histories.firstEvent({ workflowId });
    return event?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
  }

  private newLog(position: ReadPosition): AgentLog {
    return new AgentLog(position, {
      decoder: this.decoder,
      histories: this.histories,
      isRoot: position.workflowId === this.rootId,
      onEntry: (draft, isNew) => {
        this.noteChild(draft, isNew);
      },
    });
  }

  private noteChild({ opens }: PendingEvent, isNew: boolean): void {
    if (opens === undefined) return;
    if (!isNew) this.known.add(opens.workflowId);
    else if (opens.executionId !== undefined) {
      this.upcoming.push(startOf(opens.workflowId, opens.executionId));
      this.fetchAhead();
    }
  }

  /** Fetches the histories of the next children, so that delivering their events does not wait for each of them. */
  private fetchAhead(): void {
    while (this.ahead.size < maxAhead) {
      const position = this.upcoming.shift();
      if (position === undefined) return;
      if (this.known.has(position.workflowId)) continue;
      const log = this.newLog(position);
      this.ahead.set(keyOf(position), log);
      // Awaited once the child is opened. A failed read is repeated then.
      log.catchUp().catch(() => undefined);
    }
  }
}

function startOf(workflowId: string, executionId: string): ReadPosition {
  return { workflowId, executionId, eventId: 0, count: 0 };
}

/** Includes the execution, because a failed delegation is started again under the same workflow id. */
function keyOf({ workflowId, executionId }: ReadPosition): string {
  return `${executionId} ${workflowId}`;
}

/** Whether a log has nothing more to deliver. */
function isOver({ state, entries }: AgentLog): boolean {
  return state === 'ended' && entries.length === 0;
}

function isEarlier(a: LogEntry, b: LogEntry | undefined): boolean {
  if (b === undefined) return true;
  return a.time === b.time ? a.workflowId < b.workflowId : a.time < b.time;
}
