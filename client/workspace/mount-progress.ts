import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { mountProgressSchema, mountWorkspaceActivity } from '../../domain/workspace';
import { formatBytes, formatCount, plural } from '../format';

/** Describes how far a pending import of a run's folder is; undefined when none is pending or nothing is known yet. */
export async function mountProgress(
  client: Client,
  { raw }: WorkflowExecutionDescription,
): Promise<string | undefined> {
  const pending = raw.pendingActivities?.find(({ activityType }) => activityType?.name === mountWorkspaceActivity.name);
  if (pending === undefined) return undefined;
  const { payloads } = pending.heartbeatDetails ?? {};
  const [details] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads);
  const progress = mountProgressSchema.safeParse(details).data;
  if (progress === undefined) return 'importing the workspace';
  const { isListed, files, bytes, ofFiles, ofBytes } = progress;
  if (!isListed) return `importing the workspace: ${plural(ofFiles, 'file')}, ${formatBytes(ofBytes)} found so far`;
  const sizes = `${formatBytes(bytes)} of ${formatBytes(ofBytes)}`;
  return `importing the workspace: ${formatCount(files)} of ${plural(ofFiles, 'file')}, ${sizes}`;
}

/** Like `mountProgress`, for a run that has not been described yet. */
export async function readMountProgress(client: Client, workflowId: string): Promise<string | undefined> {
  const description = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  return description === undefined ? undefined : mountProgress(client, description);
}
