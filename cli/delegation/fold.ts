import type { AgentStatus, TreeNode } from '../../client/delegation/tree-node';
import { countAgents, nodeStatus } from '../../client/delegation/tree-node';

/** One row of a drawn tree: an agent, or a number of children with the same status that are collapsed. */
export type TreeRow =
  | { readonly kind: 'agent'; readonly node: TreeNode; readonly below: readonly TreeRow[] }
  | { readonly kind: 'more'; readonly status: AgentStatus; readonly agents: number; readonly children: number };

/** Maximum children shown per status: `quietLimit` for completed and cancelled ones, `limit` for all others. */
const quietLimit = 5;
const limit = 20;
const quiet: readonly AgentStatus[] = ['completed', 'cancelled'];

/** Collapses a wide tree: further children with the same status become one row, after those that are shown. */
export function collapseTree(node: TreeNode, all = false): TreeRow {
  if (all) return { kind: 'agent', node, below: node.children.map((child) => collapseTree(child, true)) };
  const shown: TreeRow[] = [];
  const hidden = new Map<AgentStatus, TreeNode[]>();
  const byStatus = new Map<AgentStatus, TreeNode[]>();
  for (const child of node.children) {
    const status = nodeStatus(child.execution);
    byStatus.set(status, [...(byStatus.get(status) ?? []), child]);
  }
  for (const child of node.children) {
    const status = nodeStatus(child.execution);
    if (isHidden(child, status, byStatus.get(status) ?? [])) hidden.set(status, [...(hidden.get(status) ?? []), child]);
    else shown.push(collapseTree(child));
  }
  for (const [status, nodes] of hidden) shown.push(more(status, nodes));
  return { kind: 'agent', node, below: shown };
}

function isHidden(node: TreeNode, status: AgentStatus, similar: readonly TreeNode[]): boolean {
  if (quiet.includes(status)) return similar.length > quietLimit;
  return similar.length > limit && similar.indexOf(node) >= limit;
}

function more(status: AgentStatus, nodes: readonly TreeNode[]): TreeRow {
  const agents = nodes.reduce((sum, node) => sum + countAgents(node), 0);
  return { kind: 'more', status, agents, children: nodes.length };
}

/** Returns the agents that are shown. */
export function visibleNodes(shown: TreeRow): readonly TreeNode[] {
  return shown.kind === 'more' ? [] : [shown.node, ...shown.below.flatMap(visibleNodes)];
}
