import { CancellationScope, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { endingSummary, type RecordEndingInput, type StatusSnapshot } from '../../domain/agent';
import { totalSpent } from '../../domain/budget';
import { artifactsSlice } from '../../domain/session';
import type { WorkspaceState } from '../../domain/workspace';
import { recordOptions } from '../../temporal-config/activity-options';
import { workflowNow } from '../clock';
import { captureSlices } from '../session/transfer-session';
import { hasUnfoldedChanges } from '../workspace/mount-and-fold';
import { activityOptions, type Agent, agentWorkflowId, storeLocation } from './agent';

/** How an agent ended, and its last status. */
interface AgentEnding {
  readonly status: RecordEndingInput['status'];
  readonly failure: RecordEndingInput['failure'];
  readonly answer: RecordEndingInput['answer'];
  readonly snapshot: StatusSnapshot;
}

/**
 * Whether the end of a completed agent has to be recorded. Of most delegations the store knows everything already: the
 * model call that returned the final message has recorded it.
 */
export function isNotable({ depth, inbox, progress }: Agent): boolean {
  const { handoffs, fallbacks } = progress;
  return depth === 0 || inbox.state.decisions.length > 0 || handoffs.length > 0 || fallbacks !== undefined;
}

/**
 * Records how an agent ended, even if it is cancelled. Nobody waits long for that: an agent whose end can't be recorded
 * ends all the same.
 */
export async function recordEnding(agent: Agent, ending: AgentEnding): Promise<void> {
  const at = workflowNow();
  await CancellationScope.nonCancellable(async () => {
    const files = agent.depth === 0 ? { files: await filesOf(agent) } : {};
    const { firstExecutionRunId: execution } = workflowInfo();
    await activitiesFor(agent).recordEnding({
      ...storeLocation(agent),
      agent: agentWorkflowId(),
      execution,
      at,
      spent: totalSpent(agent.progress.ledger),
      ...ending,
      ...files,
    });
  }).catch(() => undefined);
}

async function filesOf(agent: Agent): Promise<NonNullable<RecordEndingInput['files']>> {
  const workspace = await foldedWorkspace(agent);
  return {
    workspace,
    session: await captureSlices(agent, [artifactsSlice.name], { policy: recordOptions, summary: endingSummary }),
  };
}

/** The workspace with few enough pending changes for one payload. */
async function foldedWorkspace(agent: Agent): Promise<WorkspaceState | null> {
  const { workspace } = agent.progress;
  if (workspace === null || !hasUnfoldedChanges(agent)) return workspace;
  const { base, root, changes } = workspace;
  const folded = await activitiesFor(agent).foldWorkspace({ ...storeLocation(agent), root, changes });
  return { base, root: folded, changes: [] };
}

function activitiesFor({ settings }: Agent): AgentActivities {
  return proxyActivities<AgentActivities>(activityOptions(recordOptions, settings, endingSummary));
}
