import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { readStart, type StartPayload } from '../../domain/delegation';
import { builtInSlices, createSessionSchema, hydrate, type SessionSnapshot, snapshot } from '../../domain/session';

/**
 * Returns the session snapshot that the first delegation of a workflow was started with, and the one that a child takes
 * of the session it loads.
 */
export async function delegationSnapshots(
  client: Client,
  workflowId: string,
): Promise<{ before: SessionSnapshot; after: SessionSnapshot }> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const started = events?.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
  const payloads = started?.startChildWorkflowExecutionInitiatedEventAttributes?.input?.payloads;
  const [input] = (await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads)) as [StartPayload];
  const start = readStart(input);
  if (!('inline' in start.snapshot)) throw new Error('The snapshot was too large to travel inline');
  const schema = createSessionSchema(builtInSlices);
  return { before: start.snapshot.inline, after: { ...snapshot(schema, hydrate(schema, start.snapshot.inline)) } };
}
