import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { patternOfQueue } from '../../temporal-config/task-queues';
import { causeOf } from '../agent/ending';

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

const { PENDING_ACTIVITY_STATE_SCHEDULED: scheduled } = temporal.api.enums.v1.PendingActivityState;
const waitSchema = z.object({ waitsFor: z.string() });

/** Says that a turn of an agent waits for the limit of its provider; undefined if none does. */
export async function limitWait(
  client: Client,
  { raw, taskQueue }: WorkflowExecutionDescription,
): Promise<string | undefined> {
  for (const activity of raw.pendingActivities ?? []) {
    const pattern = patternOfQueue(taskQueue, queueOf(activity) ?? '');
    if (pattern !== undefined && activity.state === scheduled && (await onlyWaits(client, activity)))
      return `the provider's rate limit (${pattern})`;
    const waitsFor = await inHeartbeat(client, activity);
    if (waitsFor !== undefined) return waitsFor;
  }
  return undefined;
}

/** The task queue on which an activity waits; undefined if the server does not tell. */
export function queueOf({ activityOptions }: PendingActivity): string | undefined {
  return activityOptions?.taskQueue?.name || undefined;
}

/** Whether an activity has not failed, or only because of the limit. */
async function onlyWaits(client: Client, { lastFailure }: PendingActivity): Promise<boolean> {
  if (lastFailure == null) return true;
  const error = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, lastFailure);
  return causeOf(error).type === 'Model.AtLimit';
}

async function inHeartbeat(client: Client, { heartbeatDetails }: PendingActivity): Promise<string | undefined> {
  if (heartbeatDetails == null) return undefined;
  const [details] = await decodeArrayFromPayloads(client.options.loadedDataConverter, heartbeatDetails.payloads);
  return waitSchema.safeParse(details).data?.waitsFor;
}
