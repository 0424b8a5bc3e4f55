import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { z } from 'zod';
import { type OpenedAgent, passedAgentSchema, receiveAgent } from '../../domain/agent';
import { delegationResultSchema } from '../../domain/delegation';
import { type HistoryEvent, idOf, type Payloads } from '../event/decoder';

/** A completed delegation without delegations of its own, as the history of its parent shows it. */
export interface FinishedChild {
  readonly opened: Pick<OpenedAgent, 'prompt' | 'opening' | 'toolList' | 'deferred'>;
  /** Id of its transcript, see `transcriptId`. */
  readonly transcript: string;
}

const startSchema = z.object({ opened: passedAgentSchema });
const resultSchema = delegationResultSchema.pick({ transcript: true, own: true, skipped: true });

/**
 * Finds the delegations of an agent whose input and result, in the agent's own history, tell all that an audit needs.
 * Their own histories then need not be read, which in a large run takes nearly all of the time.
 */
export class FinishedChildren {
  /** Inputs by the id of the event that initiated the child, in the execution that is being read. */
  private readonly inputs = new Map<number, Payloads>();
  /** Decoded at once: payloads are parts of the messages that they came in, which would stay in memory as a whole. */
  private readonly ended = new Map<string, Promise<FinishedChild | undefined>>();

  constructor(private readonly client: Client) {}

  /** Notes an event of the agent. Expects them execution by execution, the latest execution first. */
  note(event: HistoryEvent): void {
    if (event.workflowExecutionStartedEventAttributes) this.inputs.clear();
    const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (initiated) this.inputs.set(idOf(event.eventId), initiated.input);
    const completed = event.childWorkflowExecutionCompletedEventAttributes;
    const workflowId = completed?.workflowExecution?.workflowId;
    if (!workflowId || this.ended.has(workflowId)) return;
    const id = idOf(completed.initiatedEventId);
    const finished = this.finished(this.inputs.get(id), completed.result);
    // Thrown to whoever takes it.
    finished.catch(() => undefined);
    this.ended.set(workflowId, finished);
    this.inputs.delete(id);
  }

  /** Removes and returns a child; undefined if only its own history tells enough about it. */
  async take(workflowId: string): Promise<FinishedChild | undefined> {
    const found = this.ended.get(workflowId);
    this.ended.delete(workflowId);
    return found;
  }

  private async finished(input: Payloads, ended: Payloads): Promise<FinishedChild | undefined> {
    const start = startSchema.safeParse(await this.decode(input)).data;
    const result = resultSchema.safeParse(await this.decode(ended)).data;
    // A delegation reports its own spending separately only if it had delegations.
    if (start === undefined || result?.transcript === undefined || result.own !== undefined) return undefined;
    if (result.skipped === true) return undefined;
    const { prompt, opening, toolList, deferred } = receiveAgent(start.opened);
    const opened = { prompt, opening, toolList, ...(deferred === undefined ? {} : { deferred }) };
    return { opened, transcript: result.transcript };
  }

  private async decode(payloads: Payloads): Promise<unknown> {
    const [value] = await decodeArrayFromPayloads(this.client.options.loadedDataConverter, payloads?.payloads ?? []);
    return value;
  }
}
