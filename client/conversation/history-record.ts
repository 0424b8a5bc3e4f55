import type { Client } from '@temporalio/client';
import type { RunStore } from '../../domain/store';
import { AgentLog } from '../event/agent-log';
import { Decoder } from '../event/decoder';
import { Histories } from '../event/histories';
import type { PendingEvent } from '../event/translate/step';
import { linkRef } from './chain-links';
import { EventRecord } from './event-record';

/** What an agent's history records about it. Kept up to date by reading what is new. */
export class HistoryRecord extends EventRecord {
  private constructor(
    private readonly log: AgentLog,
    store: RunStore,
    options: { onEntry: AgentLogListener },
  ) {
    super(store);
    options.onEntry = ({ turn }) => {
      // Also of turns before a reset, which are copied: the agent continues from there.
      if (turn !== undefined) this.head = linkRef(turn.head);
    };
  }

  /** Opens the record of an agent; undefined when the server does not have its history. */
  static async open(client: Client, store: RunStore, workflowId: string): Promise<HistoryRecord | undefined> {
    const histories = new Histories(client);
    const from = await firstExecution(client, histories, workflowId);
    if (from === undefined) return undefined;
    const listener: { onEntry: AgentLogListener } = { onEntry: () => undefined };
    const log = new AgentLog(
      { workflowId, executionId: from, eventId: 0, count: 0 },
      {
        decoder: new Decoder(client),
        histories,
        isRoot: true,
        onEntry: (draft) => {
          listener.onEntry(draft);
        },
      },
    );
    const record = new HistoryRecord(log, store, listener);
    await record.readOn();
    return record;
  }

  /** Whether the agent was retried after its end. */
  async isOutdated(client: Client): Promise<boolean> {
    const { workflowId, executionId } = this.log.position();
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    return runId !== executionId;
  }

  get hasEnded(): boolean {
    return this.log.state === 'ended';
  }

  /** Reads what is new. */
  async refresh(): Promise<void> {
    await this.log.refresh();
    await this.readOn();
  }

  /** Waits until something is new, at most until the deadline, in milliseconds since 1970. */
  async wait(deadline: number): Promise<void> {
    if (this.hasEnded) return;
    await this.log.poll(deadline);
    await this.readOn();
  }

  private async readOn(): Promise<void> {
    do {
      await this.log.catchUp();
      for (let entry = this.log.take(); entry !== undefined; entry = this.log.take()) this.note(entry);
    } while (this.log.state === 'behind');
  }
}

/** Returns the first execution of an agent whose history the server has. It deletes them some time after they closed. */
async function firstExecution(client: Client, histories: Histories, workflowId: string): Promise<string | undefined> {
  const latest = await histories.firstEvent({ workflowId });
  const executionId = latest?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
  if (executionId === undefined) return undefined;
  const isThere = (await histories.firstEvent({ workflowId, executionId })) !== undefined;
  return isThere ? executionId : (await client.workflow.getHandle(workflowId).describe()).runId;
}

type AgentLogListener = (draft: PendingEvent) => void;
