import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import { z } from 'zod';
import {
  areTurns,
  continueRunActivity,
  type OpenedAgent,
  openedAgentSchema,
  openRunActivity,
  passedAgentSchema,
  receiveAgent,
  runTurnActivity,
  turnsOf,
} from '../../domain/agent';
import { delegationWorkflowContract } from '../../domain/delegation';
import { openRelayActivity } from '../../domain/relay';
import { type BlobRef, mediaTypes } from '../../domain/store';
import { Histories } from '../event/histories';

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
export async function readRecordedAgent(
  client: Client,
  workflowId: string,
  /** Is passed every event, execution by execution, the latest execution first. */
  onEvent: (event: Event) => void = () => undefined,
): Promise<RecordedAgent> {
  const histories = new Histories(client);
  let found: RecordedExecution | undefined;
  let executionId: string | undefined;
  do {
    const earlier: RecordedExecution = await readExecution(client, histories, { workflowId, executionId }, onEvent);
    found = found === undefined ? earlier : joined(earlier, found);
    executionId = earlier.continuedFrom;
  } while (executionId !== undefined);
  const { opened, head, children } = found;
  return { workflowId, opened, head, children: [...new Set(children)] };
}

interface RecordedExecution extends Omit<RecordedAgent, 'workflowId'> {
  /** The execution that it continues; undefined for the first. */
  readonly continuedFrom: string | undefined;
}

function joined(earlier: RecordedExecution, later: RecordedExecution): RecordedExecution {
  return {
    // As it was opened: a change of tools is part of the progress of later executions.
    opened: earlier.opened ?? later.opened,
    head: later.head ?? earlier.head,
    children: [...earlier.children, ...later.children],
    continuedFrom: earlier.continuedFrom,
  };
}

const openings: readonly string[] = [openRunActivity.name, openRelayActivity.name, continueRunActivity.name];

/** Reads an execution page by page, and keeps only what is looked for. */
async function readExecution(
  client: Client,
  histories: Histories,
  execution: { readonly workflowId: string; readonly executionId: string | undefined },
  onEvent: (event: Event) => void,
): Promise<RecordedExecution> {
  const { workflowId, executionId } = execution;
  const activities = new Map<string, string>();
  const children: string[] = [];
  let start: Event | undefined;
  let opening: Payloads;
  let lastReplies: readonly Payloads[] = [];
  const read = (event: Event): void => {
    onEvent(event);
    start ??= event;
    const { activityTaskScheduledEventAttributes: scheduled, activityTaskCompletedEventAttributes: completed } = event;
    if (scheduled?.activityType?.name) activities.set(String(event.eventId), scheduled.activityType.name);
    if (completed) {
      const name = activities.get(String(completed.scheduledEventId)) ?? '';
      if (name === runTurnActivity.name) lastReplies = [completed.result, ...lastReplies.slice(0, 1)];
      if (openings.includes(name)) opening ??= completed.result;
    }
    const child = childIn(event);
    if (child !== undefined) children.push(child);
  };
  const pages = histories.pages({ workflowId, ...(executionId === undefined ? {} : { executionId }) });
  for await (const { events } of pages) events.forEach(read);
  if (start === undefined)
    throw new WorkflowNotFoundError(`Workflow "${workflowId}" does not exist`, workflowId, executionId);
  return {
    opened: await openedIn(client, start, opening),
    head: (await headIn(client, lastReplies[0])) ?? (await headIn(client, lastReplies[1])),
    children,
    continuedFrom: start.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined,
  };
}

const startSchema = z.object({
  opened: passedAgentSchema.optional(),
  resume: z.object({ progress: z.object({ opened: openedAgentSchema }) }).optional(),
});

/**
 * A delegation receives its opening as input, a continued execution as part of its progress, and a run from an
 * activity.
 */
async function openedIn(client: Client, first: Event, opening: Payloads): Promise<OpenedAgent | undefined> {
  const [input] = await decode(client, first.workflowExecutionStartedEventAttributes?.input);
  const start = startSchema.safeParse(input).data;
  if (start?.opened !== undefined) return receiveAgent(start.opened);
  if (start?.resume !== undefined) return start.resume.progress.opened;
  const [result] = await decode(client, opening);
  return openedAgentSchema.safeParse(result).data;
}

/** Returns the head after a turn. A call that was not made has none, and the turn before it counts. */
async function headIn(client: Client, payloads: Payloads): Promise<BlobRef | undefined> {
  const [reply] = await decode(client, payloads);
  const last = runTurnActivity.result.safeParse(reply).data;
  if (last === undefined || !areTurns(last)) return undefined;
  const { head = last.head } = turnsOf(last).at(-1) ?? {};
  return { ...head, mediaType: mediaTypes.json };
}

function childIn({ startChildWorkflowExecutionInitiatedEventAttributes: child }: Event): string | undefined {
  return child?.workflowType?.name === delegationWorkflowContract.name ? (child.workflowId ?? undefined) : undefined;
}

async function decode(client: Client, payloads: Payloads): Promise<unknown[]> {
  return await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads?.payloads ?? []);
}
