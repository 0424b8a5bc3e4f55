import { CancellationScope, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  endingSummary,
  type recordEndingActivity,
  type RecordEndingInput,
  type StatusSnapshot,
} from '../../domain/agent';
import { subtractSpending, totalSpent } from '../../domain/budget';
import type { ResultOf } from '../../domain/kernel';
import { artifactsSlice } from '../../domain/session';
import type { WorkspaceState } from '../../domain/workspace';
import { recordOptions } from '../../temporal-config/activity-options';
import { forfeitUnreported } from '../budget/spending';
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
  /** Set when an operator skipped the agent. */
  readonly skipped?: true;
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
 * ends all the same. The ledger of a root then has what the journal says: what cancelled and terminated delegations paid,
 * and turns that a reset discarded, are in no history of its own.
 */
export async function recordEnding(agent: Agent, ending: AgentEnding): Promise<void> {
  const at = workflowNow();
  await CancellationScope.nonCancellable(async () => {
    const files = agent.depth === 0 ? { files: await filesOf(agent) } : {};
    const { firstExecutionRunId: execution } = workflowInfo();
    // A cancelled delegation reports to nobody, and there may be thousands.
    const looksUp = agent.depth === 0 || (agent.hasUnreported && ending.status !== 'cancelled');
    const paid: Paid | null | undefined = await activitiesFor(agent).recordEnding({
      ...storeLocation(agent),
      agent: agentWorkflowId(),
      execution,
      at,
      spent: totalSpent(agent.progress.ledger),
      ...ending,
      ...files,
      ...(looksUp ? { looksUpSpending: true } : {}),
    });
    if (paid == null) forfeitUnreported(agent);
    else takePaid(agent, paid);
  }).catch(() => {
    forfeitUnreported(agent);
  });
}

type Paid = NonNullable<ResultOf<typeof recordEndingActivity>>;

function takePaid(agent: Agent, { own, withDelegations }: Paid): void {
  const { ledger } = agent.progress;
  const delegated = subtractSpending(withDelegations, own);
  agent.progress = {
    ...agent.progress,
    ledger: {
      ...ledger,
      reserved: {},
      own: { ...ledger.own, ...own },
      delegated: { ...ledger.delegated, ...delegated },
    },
  };
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
