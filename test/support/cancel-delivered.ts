import type { WorkflowHandle } from '@temporalio/client';
import { until } from './until';

/**
 * Waits until the worker knows that the pending activity of a workflow was cancelled. A response to a heartbeat says so, and
 * the next heartbeat is sent only when that response has arrived.
 */
export async function untilCancelDelivered(workflow: WorkflowHandle): Promise<void> {
  const cancelled = await until(async () => {
    const { events } = await workflow.fetchHistory();
    const requested = events?.find((event) => event.activityTaskCancelRequestedEventAttributes);
    return requested === undefined ? undefined : msOf(requested.eventTime);
  });
  const heartbeatAfter = (time: number): Promise<number> =>
    until(async () => {
      const { raw } = await workflow.describe();
      const [latest = 0] = (raw.pendingActivities ?? []).map(({ lastHeartbeatTime }) => msOf(lastHeartbeatTime));
      return latest > time ? latest : undefined;
    });
  await heartbeatAfter(await heartbeatAfter(cancelled));
}

type Timestamp = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;

function msOf(time: Timestamp): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}
