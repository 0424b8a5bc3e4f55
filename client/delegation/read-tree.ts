import { ServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import {
  agentExecutions,
  subtreeQuery,
  byStart,
  agentsQuery,
  toExecution,
  type AgentExecution,
} from '../agent/executions';
import { CliError, exitCodes } from '../../cli/context';
import { readRecordedAgent } from '../agent/history';
import { buildTree, type TreeNode } from './tree-node';

/**
 * Reads an agent and everything below it from one list of the server. The root is also described, because lists lag a
 * little. If the server can't list by workflow id, or its list is still empty, the histories are read instead.
 */
export async function readTree(client: Client, workflowId: string): Promise<TreeNode> {
  const root = await describedAgent(client, workflowId);
  const listed = await listedAgents(client, workflowId);
  const others =
    listed.length > 0 ? listed.filter((found) => found.workflowId !== workflowId) : await fromHistories(client, root);
  const tree = buildTree([root, ...others].sort(byStart), workflowId);
  return tree ?? { execution: root, children: [] };
}

/** Describes an agent's latest execution. Throws a `CliError` if the agent does not exist. */
export async function describedAgent(client: Client, workflowId: string): Promise<AgentExecution> {
  try {
    return toExecution(await client.workflow.getHandle(workflowId).describe());
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CliError(exitCodes.failed, `Agent "${workflowId}" does not exist.`, 'List runs with: baton list');
  }
}

async function listedAgents(client: Client, workflowId: string): Promise<readonly AgentExecution[]> {
  try {
    return await agentExecutions(client, `${subtreeQuery(workflowId)} AND ${agentsQuery}`);
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}

async function fromHistories(client: Client, parent: AgentExecution): Promise<AgentExecution[]> {
  const { children } = await readRecordedAgent(client, parent.workflowId);
  const found: AgentExecution[] = [];
  for (const child of children) {
    const execution = await describedAgent(client, child).catch(() => undefined);
    // Undefined for a delegation that was requested but not started yet.
    if (execution !== undefined) found.push(execution, ...(await fromHistories(client, execution)));
  }
  return found;
}
