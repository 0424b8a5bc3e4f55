import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { delegationPath, displayId, owningRunId } from '../../domain/kernel';
import { parkedQuery, subtreeQuery } from '../agent/find-agent';
import { queryAgentStatus } from '../agent/outcome';
import { plural, remedyFor } from '../format';
import { commandsFor, formatIncident } from '../operator/decide';
import { adoptedChildren, busyWith, missingSlot, pendingChildren, retrying, waitsForWorker } from './pending';
import { describeExhausted, exhaustedRemedy, readQueue } from './task-queues';
import { diagnosis, type Diagnosis, onePage, pathBetween } from './why';

/** Diagnoses a running agent. One list finds parked agents; otherwise the oldest delegations are followed down. */
export async function diagnoseWaiting(client: Client, description: WorkflowExecutionDescription): Promise<Diagnosis> {
  const top = description.workflowId;
  const parked = await onePage(client, `${subtreeQuery(top)} AND ${parkedQuery}`);
  const first = [...parked].sort((a, b) => a.startedAt - b.startedAt)[0];
  if (first !== undefined)
    return (await parkedAt(client, top, first.workflowId, parked.length)) ?? unanswered(top, first.workflowId);
  if (await lacksWorker(client, description)) return noWorker(top, description.taskQueue);
  const snapshot = await queryAgentStatus(client, top);
  if (snapshot !== undefined && snapshot.incidents.length > 0)
    return (await parkedAt(client, top, top, 1, snapshot)) ?? unanswered(top, top);
  if (snapshot?.paused === true) return paused(top);
  return descend(client, top, description, snapshot?.waitingFor ?? '');
}

type Snapshot = NonNullable<Awaited<ReturnType<typeof queryAgentStatus>>>;

async function parkedAt(
  client: Client,
  top: string,
  workflowId: string,
  parked: number,
  cached?: Snapshot,
): Promise<Diagnosis | undefined> {
  const { incidents = [] } = cached ?? (await queryAgentStatus(client, workflowId)) ?? {};
  const [incident] = incidents;
  if (incident === undefined) return undefined;
  const others = parked + incidents.length - 2;
  return diagnosis({
    verdict: 'waiting',
    path: pathBetween(top, workflowId),
    type: incident.type,
    message: `waiting for an operator since ${incident.since}: ${formatIncident(incident)}`,
    remedy: remedyFor(incident.type) ?? null,
    commands: commandsFor({ workflowId, incident }),
    remarks:
      others > 0
        ? [`${plural(others, 'more incident')} waiting for an operator in this run: baton tree ${owningRunId(top)}`]
        : [],
  });
}

function unanswered(top: string, leaf: string): Diagnosis {
  return diagnosis({
    verdict: 'waiting',
    path: pathBetween(top, leaf),
    message: 'waiting for an operator; the incident is unknown because no worker answered',
    commands: ['baton worker', `baton why ${displayId(top)}`],
  });
}

function noWorker(top: string, taskQueue: string, leaf = top): Diagnosis {
  return diagnosis({
    verdict: 'waiting',
    path: pathBetween(top, leaf),
    message: `no worker is polling task queue "${taskQueue}"`,
    remedy: 'Start one with: baton worker (same BATON_TASK_QUEUE)',
    commands: ['baton worker', 'baton doctor'],
  });
}

function paused(top: string): Diagnosis {
  return diagnosis({
    verdict: 'waiting',
    path: [top],
    message: 'it was paused by an operator',
    commands: [`baton resume ${displayId(top)}`],
  });
}

/** Follows the oldest delegation down, with one request for each level. */
async function descend(
  client: Client,
  top: string,
  description: WorkflowExecutionDescription,
  waitingFor: string,
  waits: readonly string[] = [],
): Promise<Diagnosis> {
  const at = description.workflowId;
  const path = pathBetween(top, at);
  const failure = await retrying(client, description);
  if (failure !== undefined) {
    const { type, message, step, attempt, next } = failure;
    return diagnosis({
      verdict: 'waiting',
      path,
      type,
      message: `${step} failed and is being retried (attempt ${attempt}${next}): ${message}`,
      remedy: remedyFor(type) ?? null,
      commands: [`baton tail ${owningRunId(top)} --follow`],
      remarks: waits,
    });
  }
  const children = [...pendingChildren(description), ...(await adoptedChildren(client, description))];
  const [oldest] = children;
  if (oldest !== undefined) {
    const many =
      children.length === 1 ? 'one delegation' : `${children.length} delegations, the oldest of which is shown`;
    const below = await client.workflow.getHandle(oldest).describe();
    const name = delegationPath(at).length === 0 ? 'The root' : displayId(at);
    return descend(client, top, below, '', [...waits, `${name} is waiting for ${many}.`]);
  }
  if (at !== top && (await lacksWorker(client, description))) return noWorker(top, description.taskQueue, at);
  return (
    (await withoutSlot(client, path, description, waits)) ??
    diagnosis({ verdict: 'running', path, message: busyWith(description, waitingFor), remarks: waits })
  );
}

/**
 * Whether a task waits and nobody polls. Workers poll all queues of a task queue, and for workflow tasks even when all
 * other slots are in use.
 */
async function lacksWorker(client: Client, description: WorkflowExecutionDescription): Promise<boolean> {
  return waitsForWorker(description) && (await readQueue(client, description.taskQueue, 'workflow')).workers === 0;
}

/** Diagnoses a step that waits for a worker with a free slot; undefined if none does. */
async function withoutSlot(
  client: Client,
  path: readonly string[],
  description: WorkflowExecutionDescription,
  remarks: readonly string[],
): Promise<Diagnosis | undefined> {
  const kind = missingSlot(description);
  if (kind === undefined) return undefined;
  const queue = await readQueue(client, description.taskQueue, kind);
  return diagnosis({
    verdict: 'waiting',
    path,
    message: describeExhausted(queue),
    remedy: exhaustedRemedy(kind),
    commands: ['baton worker', 'baton doctor'],
    remarks,
  });
}
