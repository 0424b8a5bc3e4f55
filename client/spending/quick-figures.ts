import type { Client } from '@temporalio/client';
import { type AgentFigures, figuresOf } from '../../domain/budget';
import { readEnding } from '../agent/ending';
import { queryAgentStatus } from '../agent/outcome';

/**
 * Reads what an agent consumed with one or two requests, however large its tree is. Undefined where that is not enough:
 * for a running agent with delegations, and for one that was stopped from outside.
 */
export async function readQuickFigures(client: Client, workflowId: string): Promise<AgentFigures | undefined> {
  const ending = await readEnding(client, workflowId);
  if (ending !== undefined) {
    const { own, withDelegations } = ending;
    return own === null || withDelegations === null ? undefined : { own, withDelegations };
  }
  const snapshot = await queryAgentStatus(client, workflowId);
  if (snapshot === undefined || snapshot.delegations > 0) return undefined;
  const own = figuresOf(snapshot.spent);
  return { own, withDelegations: own };
}
