import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/ids';
import { AgentLog, type Entry } from './agent-log';
import { decodeCursor, encodeCursor, misused, type Position } from './cursor';
import { Decoder } from './decoder';
import { Histories } from './histories';
import { Polls } from './polls';
import type { Draft, Opening } from './translate/step';

/** After the root has ended, its children are stopped by the server: for so long their ends are waited for. */
const graceMs = 2_000;

/**
 * The events of all workflows of a run as one sequence. A child is opened by the event that tells of it, so nothing of it
 * comes earlier; and what tells of its end is held back until the child has nothing more to tell.
 */
export class RunLog {
  private readonly rootId: string;
  private readonly histories: Histories;
  private readonly decoder: Decoder;
  private readonly polls = new Polls();
  private readonly open = new Map<string, AgentLog>();
  /** Children that were read of but not told of: their histories are fetched ahead. */
  private readonly ahead = new Map<string, AgentLog>();
  /** Workflow ids of all children told of so far. */
  private readonly known = new Set<string>();
  /** Entries for which the child they speak of was looked at again. */
  private readonly confirmed = new WeakSet<Entry>();
  /** Part of every cursor, even when it has ended: a run that has ended can be reset. */
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

  async begin(cursor: string | undefined): Promise<void> {
    if (cursor === undefined) {
      await this.openChild({ workflowId: this.rootId, runId: undefined });
      return;
    }
    for (const position of decodeCursor(this.runId, cursor)) {
      const isRoot = position.workflowId === this.rootId;
      if (isRoot && (await this.histories.firstEvent(position)) === undefined) {
        throw misused('The server knows nothing of what this cursor points to.');
      }
      this.known.add(position.workflowId);
      this.add(this.newLog(position));
    }
  }

  cursor(): string {
    const logs = new Set([...(this.root === undefined ? [] : [this.root]), ...this.open.values()]);
    return encodeCursor(
      this.runId,
      [...logs].map((log) => log.position()),
    );
  }

  /** The next event of what is known now. */
  async next(): Promise<Entry | undefined> {
    for (;;) {
      await this.catchUp();
      const found = await this.first();
      if (found === 'look again') continue;
      const entry = found?.take();
      if (found === undefined || entry === undefined) return undefined;
      if (entry.opens !== undefined) await this.openChild(entry.opens);
      this.drop(found);
      return entry;
    }
  }

  /** Waits until there may be more; false when there won't be. */
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

  private async catchUp(): Promise<void> {
    const behind = (): AgentLog[] => [...this.open.values()].filter(({ state }) => state === 'behind');
    for (let logs = behind(); logs.length > 0; logs = behind()) await Promise.all(logs.map((log) => log.catchUp()));
    for (const log of this.open.values()) this.drop(log);
  }

  /** The log whose next entry is the earliest of those that may be told. */
  private async first(): Promise<AgentLog | 'look again' | undefined> {
    let first: { readonly log: AgentLog; readonly entry: Entry } | undefined;
    for (const log of this.open.values()) {
      const entry = log.entries[0];
      if (entry === undefined) continue;
      const child = this.holdingBack(entry);
      if (child?.entries.length === 0) {
        this.confirmed.add(entry);
        await child.refresh();
        return 'look again';
      }
      if (child === undefined && (first === undefined || isEarlier(entry, first.entry))) first = { log, entry };
    }
    return first?.log;
  }

  /** The child whose end an entry tells of, as long as the child itself may have something to tell. */
  private holdingBack(entry: Entry): AgentLog | undefined {
    if (entry.awaits === undefined) return undefined;
    return [...this.open.values()].find(
      ({ workflowId, entries }) => workflowId === entry.awaits && (entries.length > 0 || !this.confirmed.has(entry)),
    );
  }

  private drop(log: AgentLog): void {
    if (log.state === 'ended' && log.entries.length === 0) this.open.delete(keyOf(log.opening));
  }

  private add(log: AgentLog): void {
    if (log.workflowId === this.rootId) this.root = log;
    this.open.set(keyOf(log.opening), log);
  }

  private async openChild({ workflowId, runId }: Opening): Promise<void> {
    // One that was there before is known, unless what told of it was lost in a reset.
    if (runId === undefined && this.known.has(workflowId)) return;
    const first = runId ?? (await this.firstRunOf(workflowId));
    this.known.add(workflowId);
    if (first === undefined) return;
    const position = startOf(workflowId, first);
    const log = this.ahead.get(keyOf(position)) ?? this.newLog(position);
    this.ahead.delete(keyOf(position));
    if (!this.open.has(keyOf(position))) this.add(log);
  }

  private async firstRunOf(workflowId: string): Promise<string | undefined> {
    const event = await this.histories.firstEvent({ workflowId });
    return event?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
  }

  private newLog(position: Position): AgentLog {
    return new AgentLog(position, {
      decoder: this.decoder,
      histories: this.histories,
      isRoot: position.workflowId === this.rootId,
      onEntry: (draft, isNew) => {
        this.heard(draft, isNew);
      },
    });
  }

  private heard({ opens }: Draft, isNew: boolean): void {
    if (opens === undefined) return;
    if (!isNew) this.known.add(opens.workflowId);
    else if (opens.runId !== undefined) this.fetchAhead(startOf(opens.workflowId, opens.runId));
  }

  private fetchAhead(position: Position): void {
    const log = this.newLog(position);
    this.ahead.set(keyOf(position), log);
    // Waited for once the child is opened; what fails is tried again then.
    log.catchUp().catch(() => undefined);
  }
}

function startOf(workflowId: string, runId: string): Position {
  return { workflowId, runId, eventId: 0, count: 0 };
}

/** An id can have several lives: a failed delegation is started again under the same one. */
function keyOf({ workflowId, runId }: Position): string {
  return `${runId} ${workflowId}`;
}

function isEarlier(a: Entry, b: Entry): boolean {
  return a.time === b.time ? a.workflowId < b.workflowId : a.time < b.time;
}
