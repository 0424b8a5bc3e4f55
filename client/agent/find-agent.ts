import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { parseAgentId, delegationPath, parentOf, owningRunId, displayId } from '../../domain/kernel/agent-id';
import { agentsNamed } from './executions';
import { CliError, exitCodes } from '../../cli/context';

/** An agent that exists, and whether its latest execution is open. */
export interface FoundAgent {
  readonly workflowId: string;
  readonly isRunning: boolean;
}

/**
 * Finds an agent. A delegation may be named by its whole id or by its first letters, anywhere in the run. Throws a
 * `CliError` if no agent or several match.
 */
export async function findAgent(client: Client, target: string, delegation?: string): Promise<FoundAgent> {
  const base = parseAgentId(target);
  const named = delegation === undefined ? base : parseAgentId(`${displayId(base)}/${delegation}`);
  const exact = await look(client, named);
  if (exact !== undefined) return exact;
  const [name] = delegationPath(named).slice(-1);
  if (name === undefined) {
    throw new CliError(exitCodes.failed, `Run "${owningRunId(base)}" does not exist.`, 'List runs with: baton list');
  }
  return byName(client, parentOf(named) ?? base, name);
}

async function look(client: Client, workflowId: string): Promise<FoundAgent | undefined> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return { workflowId, isRunning: status.name === 'RUNNING' };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

async function byName(client: Client, within: string, name: string): Promise<FoundAgent> {
  const run = owningRunId(within);
  const found = await agentsNamed(client, within, name);
  const [first] = found;
  if (first === undefined) {
    throw new CliError(
      exitCodes.failed,
      `Run ${run} has no delegation "${name}".`,
      `List its delegations with: baton tree ${run} --all`,
    );
  }
  if (found.length === 1) return { workflowId: first.workflowId, isRunning: first.state === 'RUNNING' };
  throw new CliError(
    exitCodes.misused,
    `"${name}" matches ${found.length} delegations of run ${run}:\n${found.map((agent) => `  ${displayId(agent.workflowId)}`).join('\n')}`,
    'Pass one of these ids.',
  );
}
