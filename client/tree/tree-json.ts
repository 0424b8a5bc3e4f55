import type { Usage } from '../../domain/model/usage';
import type { RunSnapshot } from '../../domain/run/result';
import { delegationPath } from '../agents/agent-id';
import { statusOf, type AgentDetails, type AgentStatus, type TreeNode } from './node';

/** A tree as programs get it. */
export interface AgentTree {
  readonly workflowId: string;
  /** Null for the root. */
  readonly delegationId: string | null;
  readonly status: AgentStatus;
  readonly skill: string | null;
  readonly summary: string;
  readonly startedAt: string;
  readonly closedAt: string | null;
  /** Model calls made so far; null when nobody could tell. */
  readonly turns: number | null;
  readonly usage: Usage | null;
  readonly microUsd: number | null;
  readonly failure: AgentDetails['failure'];
  /** Of a running agent, when a worker answered. */
  readonly snapshot: RunSnapshot | null;
  readonly children: readonly AgentTree[];
}

export function toAgentTree(node: TreeNode, details: ReadonlyMap<string, AgentDetails>): AgentTree {
  const { execution, children } = node;
  const known = details.get(execution.workflowId);
  const snapshot = known?.snapshot ?? null;
  return {
    workflowId: execution.workflowId,
    delegationId: delegationPath(execution.workflowId).at(-1) ?? null,
    status: statusOf(execution, snapshot),
    skill: snapshot?.skill ?? execution.skill,
    summary: known?.summary ?? '',
    startedAt: new Date(execution.startedAt).toISOString(),
    closedAt: execution.closedAt === null ? null : new Date(execution.closedAt).toISOString(),
    turns: snapshot?.turn ?? known?.turns ?? null,
    usage: snapshot?.usage ?? known?.usage ?? null,
    microUsd: snapshot?.spent.microUsd ?? known?.microUsd ?? null,
    failure: known?.failure ?? null,
    snapshot,
    children: children.map((child) => toAgentTree(child, details)),
  };
}
