import type { Usage } from '../../domain/model/usage';
import type { RunSnapshot } from '../../domain/run/result';
import type { AgentExecution } from '../agents/executions';

export type AgentStatus =
  | 'running'
  | 'needs operator'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'terminated'
  | 'timed out'
  | 'unknown';

/** An agent and those below it, by what the server's list says. */
export interface TreeNode {
  readonly execution: AgentExecution;
  readonly children: readonly TreeNode[];
}

/** What takes a call of its own to learn; made only for agents that are shown. */
export interface AgentDetails {
  /** What it is for, in a line. */
  readonly summary: string;
  /** By its own word; null when it has closed, or when no worker answered. */
  readonly snapshot: RunSnapshot | null;
  /** Of a closed one. */
  readonly usage: Usage | null;
  readonly turns: number | null;
  readonly microUsd: number | null;
  readonly failure: { readonly type: string; readonly message: string } | null;
}

const closedStatuses: Readonly<Record<string, AgentStatus>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed out',
};

/** From the list alone; what the agent says of itself is better where it is known. */
export function statusOf({ state, batonStatus }: AgentExecution, snapshot?: RunSnapshot | null): AgentStatus {
  if (state !== 'RUNNING') return closedStatuses[state] ?? 'unknown';
  if ((snapshot?.incidents.length ?? 0) > 0 || snapshot?.status === 'needs operator') return 'needs operator';
  if (snapshot?.paused === true) return 'paused';
  return snapshot == null && batonStatus === 'needs_operator' ? 'needs operator' : 'running';
}

/** An agent whose parent isn't known, as while the list lags behind, stands below the nearest one that is. */
export function growTree(executions: readonly AgentExecution[], rootId: string): TreeNode | undefined {
  const ids = new Set(executions.map(({ workflowId }) => workflowId));
  const below = new Map<string, AgentExecution[]>();
  for (const execution of executions) {
    const parent = nearest(execution.workflowId, ids);
    if (parent !== undefined) below.set(parent, [...(below.get(parent) ?? []), execution]);
  }
  const grow = (execution: AgentExecution): TreeNode => ({
    execution,
    children: (below.get(execution.workflowId) ?? []).map(grow),
  });
  const root = executions.find(({ workflowId }) => workflowId === rootId);
  return root === undefined ? undefined : grow(root);
}

function nearest(workflowId: string, ids: ReadonlySet<string>): string | undefined {
  for (let at = workflowId.lastIndexOf('/'); at > 0; at = workflowId.lastIndexOf('/', at - 1)) {
    if (ids.has(workflowId.slice(0, at))) return workflowId.slice(0, at);
  }
  return undefined;
}

export function countAgents(node: TreeNode): number {
  return node.children.reduce((sum, child) => sum + countAgents(child), 1);
}
