import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { type Amendment, formatRetryReason, type OperatorNote, type Retry } from '../../domain/operator';
import { Decoder } from '../event/decoder';
import type { ExecutionRecord } from './execution-record';

/** How a failed agent is retried. */
export interface RetryFailedOptions extends OperatorNote {
  /** Changes that are made before the failed step is tried again. */
  readonly amendment?: Amendment;
  /** Whether parents that have already received the failure of a delegation are taken back to the moment before. */
  readonly withParent?: boolean;
  /** Whether an agent that was cancelled is continued. */
  readonly cancelled?: boolean;
}

/** A reset that has been planned and not yet made. */
export interface PlannedReset {
  readonly workflowId: string;
  /** The execution whose history is continued from the point. */
  readonly executionId: string;
  /** The latest execution. The server ends it if it is open. */
  readonly latestId: string;
  readonly task: number;
  /** What the agent learns about it; undefined for the host of a session. */
  readonly retry?: Retry;
  /** Whether it forgets the signals that it received after the point. Default: false. */
  readonly forgetsSignals?: boolean;
}

const { RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL: signals } = temporal.api.enums.v1.ResetReapplyExcludeType;

/** Makes a reset. */
export async function makeReset(client: Client, reset: PlannedReset): Promise<void> {
  const { workflowId, executionId, latestId, retry, forgetsSignals = false } = reset;
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId: executionId },
    workflowTaskFinishEventId: eventId(reset.task),
    reason: retry === undefined ? 'opened again for a retry' : formatRetryReason(retry),
    // Two operators who retry the same failure at the same time make one reset.
    requestId: `baton-retry-${latestId}-${executionId}`,
    resetReapplyExcludeTypes: forgetsSignals ? [signals] : [],
  });
}

/** Event ids are 64-bit integers, of a class that only the generated code imports. */
function eventId(task: number): temporal.api.history.v1.HistoryEvent['eventId'] {
  return temporal.api.history.v1.HistoryEvent.fromObject({ eventId: task }).eventId;
}

const startSchema = z.object({ deadline: z.string().optional() });

/**
 * Returns the part of an amendment that concerns one agent. If the failure began in a delegation, that one gets it all.
 * A new deadline is for everyone who has one: a delegation can't outlive its parent.
 */
export async function amendmentFor(
  client: Client,
  { first }: ExecutionRecord,
  amendment: Amendment | undefined,
  isElsewhere: boolean,
): Promise<Amendment | undefined> {
  if (amendment === undefined) return undefined;
  const input = first.workflowExecutionStartedEventAttributes?.input;
  const start = await new Decoder(client).read(input, startSchema);
  const { deadline, ...rest } = amendment;
  const parts = {
    ...(isElsewhere ? {} : rest),
    ...(deadline === undefined || start?.deadline === undefined ? {} : { deadline }),
  };
  return Object.keys(parts).length === 0 ? undefined : parts;
}

/** Returns who retries, and why. */
export function noteOf({ by, note }: OperatorNote): OperatorNote {
  return { ...(by === undefined ? {} : { by }), ...(note === undefined ? {} : { note }) };
}
