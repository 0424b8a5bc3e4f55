import type { Client } from '@temporalio/client';
import { DetailsReader } from './details';
import type { TreeNode } from './node';
import { readTree } from './read-tree';
import { toAgentTree, type AgentTree } from './tree-json';

export type { AgentTree } from './tree-json';

/** Every agent at and below one, each with what can be learnt about it. */
export async function agentTree(client: Client, workflowId: string): Promise<AgentTree> {
  const tree = await readTree(client, workflowId);
  return toAgentTree(tree, await new DetailsReader(client).read(everyNode(tree)));
}

function everyNode(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(everyNode)];
}
