import type { AgentStatus, TreeNode } from './node';
import { countAgents, statusOf } from './node';

/** What is shown of a tree: agents, and lines that stand for many alike. */
export type Shown =
  | { readonly kind: 'agent'; readonly node: TreeNode; readonly below: readonly Shown[] }
  | { readonly kind: 'more'; readonly status: AgentStatus; readonly agents: number; readonly children: number };

/** Of those that need nobody's attention, and of all others. */
const quietLimit = 5;
const limit = 20;
const quiet: readonly AgentStatus[] = ['completed', 'cancelled'];

/** A wide tree becomes readable: many children in the same state are one line, after those that are shown. */
export function fold(node: TreeNode, all = false): Shown {
  if (all) return { kind: 'agent', node, below: node.children.map((child) => fold(child, true)) };
  const shown: Shown[] = [];
  const hidden = new Map<AgentStatus, TreeNode[]>();
  const byStatus = new Map<AgentStatus, TreeNode[]>();
  for (const child of node.children) {
    const status = statusOf(child.execution);
    byStatus.set(status, [...(byStatus.get(status) ?? []), child]);
  }
  for (const child of node.children) {
    const status = statusOf(child.execution);
    if (isHidden(child, status, byStatus.get(status) ?? [])) hidden.set(status, [...(hidden.get(status) ?? []), child]);
    else shown.push(fold(child));
  }
  for (const [status, nodes] of hidden) shown.push(more(status, nodes));
  return { kind: 'agent', node, below: shown };
}

function isHidden(node: TreeNode, status: AgentStatus, alike: readonly TreeNode[]): boolean {
  if (quiet.includes(status)) return alike.length > quietLimit;
  return alike.length > limit && alike.indexOf(node) >= limit;
}

function more(status: AgentStatus, nodes: readonly TreeNode[]): Shown {
  const agents = nodes.reduce((sum, node) => sum + countAgents(node), 0);
  return { kind: 'more', status, agents, children: nodes.length };
}

export function shownNodes(shown: Shown): readonly TreeNode[] {
  return shown.kind === 'more' ? [] : [shown.node, ...shown.below.flatMap(shownNodes)];
}
