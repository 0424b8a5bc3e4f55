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
  private readonly ended = new Map<string, { readonly input: Payloads; readonly result: Payloads }>();

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
    this.ended.set(workflowId, { input: this.inputs.get(id), result: completed.result });
    this.inputs.delete(id);
  }

  /** Removes and returns a child; undefined if only its own history tells enough about it. */
  async take(workflowId: string): Promise<FinishedChild | undefined> {
    const found = this.ended.get(workflowId);
    this.ended.delete(workflowId);
    if (found === undefined) return undefined;
    const start = startSchema.safeParse(await this.decode(found.input)).data;
    const result = resultSchema.safeParse(await this.decode(found.result)).data;
    // A delegation reports its own spending separately only if it had delegations.
    if (start === undefined || result?.transcript === undefined || result.own !== undefined) return undefined;
    return result.skipped === true ? undefined : { opened: receiveAgent(start.opened), transcript: result.transcript };
  }

  private async decode(payloads: Payloads): Promise<unknown> {
    const [value] = await decodeArrayFromPayloads(this.client.options.loadedDataConverter, payloads?.payloads ?? []);
    return value;
  }
}
