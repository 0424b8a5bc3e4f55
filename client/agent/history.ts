import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { callModelActivity, type OpenedAgent, openedAgentSchema, openRunActivity } from '../../domain/agent';
import { delegationWorkflowContract } from '../../domain/delegation';
import { isCallRefused } from '../../domain/model';
import { openRelayActivity } from '../../domain/relay';
import type { BlobRef } from '../../domain/store';
import { grpcStatus, grpcStatusOf } from '../../temporal-config/node/connection-failure';

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

/** An agent as recorded in its workflow's history. Reading it needs no worker. */
export interface RecordedAgent {
  readonly workflowId: string;
  /** Undefined when the agent failed or was stopped before its prompt was ready. */
  readonly opened: OpenedAgent | undefined;
  /** Head of the transcript after the last recorded model call. */
  readonly head: BlobRef | undefined;
  /** Workflow ids of the agent's delegations, in the order in which they were started. */
  readonly children: readonly string[];
}

/**
 * Reads an agent from all executions of its workflow. Throws Temporal's `WorkflowNotFoundError` if the workflow does not
 * exist.
 *
 * @example
 * const { children } = await readRecordedAgent(client, 'run/licenses-7');
 * for (const child of children) console.log(child);
 */
export async function readRecordedAgent(client: Client, workflowId: string): Promise<RecordedAgent> {
  let opened: OpenedAgent | undefined;
  let head: BlobRef | undefined;
  const children: string[] = [];
  for await (const events of executions(client, workflowId)) {
    opened ??= await openedIn(client, events);
    head ??= await lastHead(client, events);
    children.unshift(...childrenIn(events));
  }
  return { workflowId, opened, head, children: [...new Set(children)] };
}

/** Yields the events of each execution, newest execution first. */
async function* executions(client: Client, workflowId: string): AsyncIterable<readonly Event[]> {
  let executionId: string | undefined;
  do {
    const events = await fetchEvents(client, workflowId, executionId);
    yield events;
    executionId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
  } while (executionId);
}

/** Other methods of the handle throw `WorkflowNotFoundError` themselves, but `fetchHistory` throws the gRPC error. */
async function fetchEvents(
  client: Client,
  workflowId: string,
  executionId: string | undefined,
): Promise<readonly Event[]> {
  try {
    const { events } = await client.workflow.getHandle(workflowId, executionId).fetchHistory();
    return events ?? [];
  } catch (error) {
    if (grpcStatusOf(error) !== grpcStatus.notFound) throw error;
    throw new WorkflowNotFoundError(`Workflow "${workflowId}" does not exist`, workflowId, executionId);
  }
}

const startSchema = z.object({
  opened: openedAgentSchema.optional(),
  resume: z.object({ progress: z.object({ opened: openedAgentSchema }) }).optional(),
});

/**
 * A delegation receives its opening as input, a continued execution as part of its progress, and a run from an
 * activity.
 */
async function openedIn(client: Client, events: readonly Event[]): Promise<OpenedAgent | undefined> {
  const [input] = await decode(client, events[0]?.workflowExecutionStartedEventAttributes?.input);
  const start = startSchema.safeParse(input).data;
  const passed = start?.opened ?? start?.resume?.progress.opened;
  if (passed !== undefined) return passed;
  const [result] = [
    ...(await resultsOf(client, events, openRunActivity.name)),
    ...(await resultsOf(client, events, openRelayActivity.name)),
  ];
  return openedAgentSchema.safeParse(result).data;
}

async function lastHead(client: Client, events: readonly Event[]): Promise<BlobRef | undefined> {
  const replies = await resultsOf(client, events, callModelActivity.name);
  const last = callModelActivity.result.safeParse(replies.at(-1)).data;
  // A refused call has no head.
  return last === undefined || isCallRefused(last) ? undefined : last.head;
}

async function resultsOf(client: Client, events: readonly Event[], activity: string): Promise<unknown[]> {
  const scheduled = new Set(
    events
      .filter(({ activityTaskScheduledEventAttributes: task }) => task?.activityType?.name === activity)
      .map(({ eventId }) => String(eventId)),
  );
  const completed = events.flatMap(({ activityTaskCompletedEventAttributes: task }) =>
    task && scheduled.has(String(task.scheduledEventId)) ? [task] : [],
  );
  return (await Promise.all(completed.map(({ result }) => decode(client, result)))).flat();
}

function childrenIn(events: readonly Event[]): string[] {
  return events.flatMap(({ startChildWorkflowExecutionInitiatedEventAttributes: child }) =>
    child?.workflowId && child.workflowType?.name === delegationWorkflowContract.name ? [child.workflowId] : [],
  );
}

async function decode(client: Client, payloads: Payloads): Promise<unknown[]> {
  return await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads?.payloads ?? []);
}
