import type { Client } from '@temporalio/client';
import { displayId, owningRunId } from '../../domain/kernel';
import { type Ending, readEnding } from '../agent/ending';
import { agentsQuery, descendantsQuery } from '../agent/find-agent';
import { plural, remedyFor } from '../format';
import { commandAfter } from '../operator/reset-point';
import { diagnosis, type Diagnosis, fallbackRemarks, onePage, pathBetween, withRemarks } from './why';

/** Failure types that only report that something below failed. */
const secondhand = ['Delegation.Failed', 'Delegation.Closed', 'Delegation.Incomplete', 'Relay.Failed'];

interface FailedAgent {
  readonly workflowId: string;
  readonly closedAt: number;
}

/** Diagnoses a closed agent from its last event, one list of what failed below, and one event for each level down. */
export async function diagnoseEnded(client: Client, workflowId: string): Promise<Diagnosis> {
  const closing = await readEnding(client, workflowId);
  if (closing === undefined)
    return diagnosis({ verdict: 'running', path: [workflowId], message: 'it has just been restarted' });
  const failed = await failedBelow(client, workflowId);
  const remarks = fallbackRemarks(closing.fallbacks);
  if (closing.kind === 'completed') return withRemarks(await completedDespite(client, workflowId, failed), remarks);
  if (closing.kind === 'cancelled')
    return diagnosis({
      verdict: 'cancelled',
      path: [workflowId],
      message: 'it was cancelled',
      commands: [`baton retry ${displayId(workflowId)} --cancelled`],
    });
  const why = await descend(client, workflowId, workflowId, closing, failed);
  return { ...withRemarks(why, remarks), verdict: 'failed' };
}

/** Follows a failure down to the agent in which it began. */
async function descend(
  client: Client,
  top: string,
  at: string,
  closing: Ending,
  failed: readonly FailedAgent[],
): Promise<Diagnosis> {
  const { type, message, agents } = closing.cause ?? { type: 'TimedOut', message: 'it timed out', agents: [] };
  const origin = agents.at(-1);
  if (origin !== undefined) return found(top, origin, type, message, failed);
  const child = secondhand.includes(type)
    ? lastOf(failed.filter(({ workflowId }) => workflowId.startsWith(`${at}/`)))
    : undefined;
  const below = child === undefined ? undefined : await readEnding(client, child.workflowId);
  if (child === undefined || below === undefined) return found(top, at, type, message, failed);
  return descend(client, top, child.workflowId, below, failed);
}

function found(top: string, leaf: string, type: string, message: string, failed: readonly FailedAgent[]): Diagnosis {
  const path = pathBetween(top, leaf);
  const others = failed.filter(({ workflowId }) => !path.includes(workflowId)).length;
  return diagnosis({
    verdict: 'failed',
    path,
    type,
    message,
    remedy: remedyFor(type) ?? null,
    // Without a failed delegation, a relay would fail again.
    commands: [
      ...(type === 'Relay.Failed' ? [] : [commandAfter(top, { type, message })]),
      `baton tail ${owningRunId(top)}`,
      `baton prompt ${leaf}`,
    ],
    remarks: others === 0 ? [] : [`${plural(others, 'other delegation')} also failed.`],
  });
}

/**
 * Diagnoses a completed agent. Delegations may have failed anyway: their parents received the failure and continued.
 */
async function completedDespite(
  client: Client,
  workflowId: string,
  failed: readonly FailedAgent[],
): Promise<Diagnosis> {
  const first = failed[0];
  const completed = diagnosis({ verdict: 'completed', path: [workflowId], message: 'completed with an answer' });
  const closing = first === undefined ? undefined : await readEnding(client, first.workflowId);
  if (first === undefined || closing === undefined) return completed;
  const why = await descend(client, workflowId, first.workflowId, closing, failed);
  const [, ...commands] = why.commands;
  const retry = commandAfter(first.workflowId, { type: why.type ?? '', message: why.message });
  const count = failed.length === 1 ? 'one delegation' : `${failed.length} delegations`;
  return {
    ...why,
    verdict: 'completed',
    commands: [retry, ...commands],
    remarks: [`The run completed although ${count} failed.`],
  };
}

/** Lists failed agents in the order in which they ended, at most one page of them. */
async function failedBelow(client: Client, workflowId: string): Promise<readonly FailedAgent[]> {
  const query = `${descendantsQuery(workflowId)} AND ${agentsQuery} AND ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated')`;
  const found = await onePage(client, query);
  return found
    .map(({ workflowId: id, closedAt }) => ({ workflowId: id, closedAt }))
    .sort((a, b) => a.closedAt - b.closedAt);
}

function lastOf<T>(list: readonly T[]): T | undefined {
  return list.at(-1);
}
