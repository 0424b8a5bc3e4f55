import type { StatusSnapshot } from '../../domain/agent';
import type { AgentFigures, Allowance } from '../../domain/budget';
import type { FallbackRecord } from '../../domain/model';
import type { SkippedResult } from '../agent/ending';
import { type AgentExecution, byRequest } from '../agent/find-agent';

/** Status of an agent, as shown to users. */
export type AgentStatus =
  | 'running'
  | 'needs operator'
  | 'paused'
  | 'completed'
  | 'skipped'
  | 'failed'
  | 'cancelled'
  | 'terminated'
  | 'timed out'
  | 'unknown';

/** An agent and the agents below it, as listed by the server. */
export interface TreeNode {
  readonly execution: AgentExecution;
  readonly children: readonly TreeNode[];
}

/** Facts about an agent that take a separate request, so they are read only for agents that are shown. */
export interface AgentDetails {
  /** The agent's UI summary: its purpose in one line. */
  readonly summary: string;
  /** The agent's answer to the `snapshot` query; null when it has closed or no worker answered. */
  readonly snapshot: StatusSnapshot | null;
  /** How far the import of a run's folder is; null when none is in progress. */
  readonly importing: string | null;
  /** Why its steps wait for the store; omitted if none does. */
  readonly storeTrouble?: string;
  /** What it consumed by itself, and with its delegations. */
  readonly figures: AgentFigures;
  /** Its budget; null when it has none, and for an agent that has ended below the one that was asked for. */
  readonly budget: Allowance | null;
  /** How an operator replaced its result; null unless one did. */
  readonly skipped: SkippedResult | null;
  readonly failure: { readonly type: string; readonly message: string } | null;
  /** Models that another one replaced. Empty for a running agent, whose snapshot has them. */
  readonly fallbacks: readonly FallbackRecord[];
}

const closedStatuses: Readonly<Record<string, AgentStatus>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed out',
};

/** Determines the status from the server's list. What the agent itself says is more accurate, if it is known. */
export function nodeStatus({ state, batonStatus }: AgentExecution, details?: Partial<AgentDetails>): AgentStatus {
  const { snapshot, skipped = null } = details ?? {};
  if (skipped !== null) return 'skipped';
  if (state !== 'RUNNING') return closedStatuses[state] ?? 'unknown';
  if ((snapshot?.incidents.length ?? 0) > 0 || snapshot?.status === 'needs operator') return 'needs operator';
  if (snapshot?.paused === true) return 'paused';
  return snapshot == null && batonStatus === 'needs_operator' ? 'needs operator' : 'running';
}

/**
 * Builds the tree. An agent whose parent is missing, because the list lags, is placed below its nearest known
 * ancestor.
 */
export function buildTree(executions: readonly AgentExecution[], rootId: string): TreeNode | undefined {
  const ids = new Set(executions.map(({ workflowId }) => workflowId));
  const below = new Map<string, AgentExecution[]>();
  for (const execution of executions) {
    const parent = nearest(execution.workflowId, ids);
    if (parent === undefined) continue;
    const siblings = below.get(parent) ?? [];
    siblings.push(execution);
    below.set(parent, siblings);
  }
  const build = (execution: AgentExecution): TreeNode => ({
    execution,
    children: (below.get(execution.workflowId) ?? []).sort(byRequest).map(build),
  });
  const root = executions.find(({ workflowId }) => workflowId === rootId);
  return root === undefined ? undefined : build(root);
}

function nearest(workflowId: string, ids: ReadonlySet<string>): string | undefined {
  for (let at = workflowId.lastIndexOf('/'); at > 0; at = workflowId.lastIndexOf('/', at - 1)) {
    if (ids.has(workflowId.slice(0, at))) return workflowId.slice(0, at);
  }
  return undefined;
}

/** Counts the agents of a tree. */
export function countAgents(node: TreeNode): number {
  return node.children.reduce((sum, child) => sum + countAgents(child), 1);
}
