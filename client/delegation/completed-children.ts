import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { type Ending, fromDelegationResult } from '../agent/ending';
import { Decoder, type HistoryEvent, idOf } from '../event/decoder';
import { type Execution, Histories } from '../event/histories';

/** A completed delegation, as the history of its parent shows it. */
export interface CompletedChild extends Pick<Ending, 'own' | 'skipped'> {
  readonly summary: string;
}

/**
 * Reads the completed delegations of an agent, by workflow id, from all of the agent's executions. For an agent with
 * many delegations this takes far fewer requests than asking for each of them.
 */
export async function readCompletedChildren(
  client: Client,
  parent: string,
): Promise<ReadonlyMap<string, CompletedChild>> {
  const histories = new Histories(client);
  const completed = new Map<string, CompletedChild>();
  let executionId: string | undefined;
  do {
    const execution = { workflowId: parent, ...(executionId === undefined ? {} : { executionId }) };
    executionId = await readExecution(client, histories, execution, completed);
  } while (executionId !== undefined);
  return completed;
}

/** Adds the children of one execution, and returns the id of the execution that it continues. */
async function readExecution(
  client: Client,
  histories: Histories,
  execution: Execution,
  completed: Map<string, CompletedChild>,
): Promise<string | undefined> {
  const decoder = new Decoder(client);
  const summaries = new Map<number, string>();
  let continued: string | undefined;
  for await (const { events } of histories.pages(execution)) {
    for (const event of events) {
      continued ??= event.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
      if (event.startChildWorkflowExecutionInitiatedEventAttributes)
        summaries.set(idOf(event.eventId), (await decoder.summary(event)) ?? '');
      const child = await completedIn(client, event, summaries);
      // The latest execution is read first, and it knows the latest result.
      if (child !== undefined && !completed.has(child[0])) completed.set(...child);
    }
  }
  return continued;
}

async function completedIn(
  client: Client,
  { childWorkflowExecutionCompletedEventAttributes: attributes }: HistoryEvent,
  summaries: ReadonlyMap<number, string>,
): Promise<[string, CompletedChild] | undefined> {
  const workflowId = attributes?.workflowExecution?.workflowId;
  if (!workflowId) return undefined;
  const { payloads } = attributes.result ?? {};
  const [value] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads ?? []);
  const result = fromDelegationResult(value);
  if (result === undefined) return undefined;
  const summary = summaries.get(idOf(attributes.initiatedEventId)) ?? '';
  return [workflowId, { summary, own: result.own, skipped: result.skipped }];
}
