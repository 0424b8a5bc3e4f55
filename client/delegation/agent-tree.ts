import type { Client } from '@temporalio/client';
import { DetailsReader } from './details';
import type { TreeNode } from './tree-node';
import { readTree } from './read-tree';
import { toAgentTree, type AgentTree } from './tree-json';

export type { AgentTree } from './tree-json';

/**
 * Reads an agent and everything below it. Throws a `CliError` if the agent does not exist. Values that only a worker
 * knows are null when none answers.
 */
export async function agentTree(client: Client, workflowId: string): Promise<AgentTree> {
  const tree = await readTree(client, workflowId);
  return toAgentTree(tree, await new DetailsReader(client).read(everyNode(tree)));
}

function everyNode(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(everyNode)];
}
