import type { Client } from '@temporalio/client';
import type { StatusSnapshot } from '../../domain/agent';
import { type Allowance, type Figures, isUnlimited, noFigures } from '../../domain/budget';
import { delegationPath } from '../../domain/kernel';
import { type CacheReadShares, cacheReadShares, type FallbackRecord } from '../../domain/model';
import type { FiguresReader } from '../spending/run-figures';
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
export async function agentTree(client: Client, workflowId: string, figures?: FiguresReader): Promise<AgentTree> {
  const tree = await readTree(client, workflowId);
  return toAgentTree(tree, await new DetailsReader(client, figures).read(everyNode(tree)));
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
  /** What the agent itself consumed. */
  readonly own: Figures;
  /** What the agent and everything below it consumed. */
  readonly withDelegations: Figures;
  /** Its budget; null when it has none, and for an agent that has ended below the one that was asked for. */
  readonly budget: Allowance | null;
  /** Share of the input tokens that were read from the provider's cache; null when there were none. */
  readonly cacheReadShare: CacheReadShares;
  /** How an operator replaced its result; null unless one did. */
  readonly skipped: AgentDetails['skipped'];
  readonly failure: AgentDetails['failure'];
  /** Models of the agent that another one replaced, oldest first. */
  readonly fallbacks: readonly FallbackRecord[];
  /** Status snapshot of a running agent; null when it has closed or no worker answered. */
  readonly snapshot: StatusSnapshot | null;
  /** Why steps of a running agent wait for the store; omitted if none does. */
  readonly storeTrouble?: string;
  readonly children: readonly AgentTree[];
}

/** Converts a tree with its details. */
export function toAgentTree(node: TreeNode, details: ReadonlyMap<string, AgentDetails>): AgentTree {
  const { execution, children } = node;
  const found = details.get(execution.workflowId);
  const snapshot = found?.snapshot ?? null;
  const { own, withDelegations } = found?.figures ?? { own: noFigures, withDelegations: noFigures };
  return {
    workflowId: execution.workflowId,
    delegationId: delegationPath(execution.workflowId).at(-1) ?? null,
    status: nodeStatus(execution, found),
    skill: snapshot?.skill ?? execution.skill,
    summary: found?.summary ?? '',
    startedAt: new Date(execution.startedAt).toISOString(),
    closedAt: execution.closedAt === null ? null : new Date(execution.closedAt).toISOString(),
    own,
    withDelegations,
    budget: found?.budget && !isUnlimited(found.budget) ? found.budget : null,
    cacheReadShare: cacheReadShares(own.usage, withDelegations.usage),
    skipped: found?.skipped ?? null,
    failure: found?.failure ?? null,
    fallbacks: snapshot?.fallbacks ?? found?.fallbacks ?? [],
    snapshot,
    ...(found?.storeTrouble === undefined ? {} : { storeTrouble: found.storeTrouble }),
    children: children.map((child) => toAgentTree(child, details)),
  };
}
