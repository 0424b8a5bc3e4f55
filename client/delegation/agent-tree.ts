import type { Client } from '@temporalio/client';
import type { StatusSnapshot } from '../../domain/agent';
import { delegationPath } from '../../domain/kernel';
import { addUsage, type CacheReadShares, cacheReadShares, type FallbackRecord, type Usage } from '../../domain/model';
import { DetailsReader, readTree } from './read-tree';
import { type AgentDetails, type AgentStatus, nodeStatus, type TreeNode } from './tree-node';

/**
 * Reads an agent and everything below it. Throws a `BatonError` if the agent does not exist. Values that only a worker
 * knows are null when none answers.
 *
 * @example
 * const tree = await agentTree(client, 'run/licenses-7');
 * const failed = tree.children.filter(({ status }) => status === 'failed');
 */
export async function agentTree(client: Client, workflowId: string): Promise<AgentTree> {
  const tree = await readTree(client, workflowId);
  return toAgentTree(tree, await new DetailsReader(client).read(everyNode(tree)));
}

/** Returns a node and everything below it. */
export function everyNode(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(everyNode)];
}

/** An agent and everything below it, in the format of `baton tree --json`. */
export interface AgentTree {
  readonly workflowId: string;
  /** Delegation id; null for the root. */
  readonly delegationId: string | null;
  readonly status: AgentStatus;
  readonly skill: string | null;
  readonly summary: string;
  readonly startedAt: string;
  readonly closedAt: string | null;
  /** Model calls made so far; null when unknown. */
  readonly turns: number | null;
  /** Usage of the agent itself while it runs, and with its delegations after it has closed; null when unknown. */
  readonly usage: Usage | null;
  /** Share of the input tokens that were read from the provider's cache; null when unknown. */
  readonly cacheReadShare: CacheReadShares;
  /** Cost in millionths of a US dollar; null when unknown. */
  readonly microUsd: number | null;
  readonly failure: AgentDetails['failure'];
  /** Models of the agent that another one replaced, oldest first. */
  readonly fallbacks: readonly FallbackRecord[];
  /** Status snapshot of a running agent; null when it has closed or no worker answered. */
  readonly snapshot: StatusSnapshot | null;
  readonly children: readonly AgentTree[];
}

/** Converts a tree with its details. */
export function toAgentTree(node: TreeNode, details: ReadonlyMap<string, AgentDetails>): AgentTree {
  const { execution, children } = node;
  const found = details.get(execution.workflowId);
  const snapshot = found?.snapshot ?? null;
  return {
    workflowId: execution.workflowId,
    delegationId: delegationPath(execution.workflowId).at(-1) ?? null,
    status: nodeStatus(execution, snapshot),
    skill: snapshot?.skill ?? execution.skill,
    summary: found?.summary ?? '',
    startedAt: new Date(execution.startedAt).toISOString(),
    closedAt: execution.closedAt === null ? null : new Date(execution.closedAt).toISOString(),
    turns: snapshot?.turn ?? found?.turns ?? null,
    usage: snapshot?.usage ?? found?.usage ?? null,
    cacheReadShare: sharesOf(node, found),
    microUsd: snapshot?.spent.microUsd ?? found?.microUsd ?? null,
    failure: found?.failure ?? null,
    fallbacks: snapshot?.fallbacks ?? found?.fallbacks ?? [],
    snapshot,
    children: children.map((child) => toAgentTree(child, details)),
  };
}

/** Computes the shares of an agent's input tokens that were read from the provider's cache, from its status. */
export function snapshotShares({ usage, delegatedUsage }: StatusSnapshot): CacheReadShares {
  return cacheReadShares(usage, addUsage(usage, delegatedUsage));
}

function sharesOf({ children }: TreeNode, details: AgentDetails | undefined): CacheReadShares {
  const { snapshot = null, usage = null, ownUsage = null } = details ?? {};
  if (snapshot !== null) return snapshotShares(snapshot);
  // Without delegations, both are the same.
  return cacheReadShares(ownUsage ?? (children.length === 0 ? usage : null), usage);
}
