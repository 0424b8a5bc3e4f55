import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentSettings } from '../../domain/agent';
import type { WorkspaceState } from '../../domain/workspace';
import { mountOptions, shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, storeLocation } from '../agent/agent';
import { withOperatorRetry } from '../operator/operator-retry';

/**
 * Maximum changes passed to a tool call. Beyond it they are folded into the tree, because each change is recorded in
 * history with every call.
 */
const maxLooseChanges = 8;

/** Returns the workspace as activities receive it; null when the run has none. */
export function workspaceInput(workspace: WorkspaceState | null): Pick<WorkspaceState, 'root' | 'changes'> | null {
  return workspace === null ? null : { root: workspace.root, changes: workspace.changes };
}

/** Whether the workspace has more pending changes than a tool call should carry. */
export function hasUnfoldedChanges({ progress: { workspace } }: Agent): boolean {
  return workspace !== null && workspace.changes.length > maxLooseChanges;
}

/** Folds the workspace's pending changes into a new tree. */
export async function foldPendingChanges(agent: Agent): Promise<void> {
  const { workspace } = agent.progress;
  if (workspace === null) return;
  const fold = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'fold changes into the tree'),
  );
  const { root: tree, changes } = workspace;
  const root = await withOperatorRetry(agent, { name: 'folding changes into the tree' }, () =>
    fold.foldWorkspace({ ...storeLocation(agent), root: tree, changes }),
  );
  agent.progress = { ...agent.progress, workspace: { base: workspace.base, root, changes: [] } };
}

/** Imports the run's folder as a tree of hashes; null when the run has no folder. */
export async function mountRunFolder(
  settings: Pick<AgentSettings, 'runId' | 'tuning'>,
  folder: string | undefined,
  storeId: string,
): Promise<WorkspaceState | null> {
  if (folder === undefined) return null;
  const activities = proxyActivities<AgentActivities>(activityOptions(mountOptions, settings, 'mount the workspace'));
  const root = await activities.mountWorkspace({ runId: settings.runId, storeId, folder });
  return { base: root, root, changes: [] };
}
