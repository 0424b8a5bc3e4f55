import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentSettings } from '../../domain/agent/agent-settings';
import type { WorkspaceState } from '../../domain/agent/progress';
import { mountOptions } from '../../temporal-config/activity-options';
import { activityOptions } from '../agent/agent';

/** Imports the run's folder as a tree of hashes; null when the run has no folder. */
export async function mountWorkspace(
  settings: AgentSettings,
  folder: string | undefined,
  storeId: string,
): Promise<WorkspaceState | null> {
  if (folder === undefined) return null;
  const activities = proxyActivities<AgentActivities>(activityOptions(mountOptions, settings, 'mount the workspace'));
  const root = await activities.mountWorkspace({ runId: settings.runId, storeId, folder });
  return { base: root, root, changes: [] };
}
