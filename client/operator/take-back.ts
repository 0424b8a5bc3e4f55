import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { displayId, parentOf } from '../../domain/kernel';
import { closeSessionSignal } from '../../workflows/messages';
import { describeAgent } from '../agent/outcome';
import { BatonError } from '../client-errors';
import { Decoder } from '../event/decoder';
import { type ExecutionRecord, readExecution, readLatest, type RecordedChild } from './execution-record';
import { amendmentFor, noteOf, type PlannedReset, type RetryFailedOptions } from './planned-reset';
import { withHosts } from './reset-point';

/**
 * Plans to take back the parents of a delegation that is retried: each one that has ended, and the lowest one that has
 * not, to the moment before it requested the agent below it. Throws a `BatonError` unless the operator asked for that.
 */
export async function parentsToTakeBack(
  client: Client,
  delegation: string,
  options: RetryFailedOptions,
): Promise<readonly PlannedReset[]> {
  const resets: PlannedReset[] = [];
  let child = delegation;
  for (let parent = parentOf(child); parent !== undefined; child = parent, parent = parentOf(child)) {
    const { status, runId: latestId } = await describeAgent(client, parent);
    const isRunning = status.name === 'RUNNING';
    if (options.withParent !== true) throw movedOn(delegation, parent, isRunning);
    const { record, request } = await requestOf(client, parent, child);
    const point = withHosts(record, await taskBefore(client, record, request), []);
    if (point === undefined) throw new TypeError('A child is requested by a workflow task');
    const amendment = await amendmentFor(client, record, options.amendment, true);
    resets.push(...(await reopenedHosts(client, point.hosts)), {
      workflowId: parent,
      executionId: record.executionId,
      latestId,
      task: point.task,
      retry: { ...noteOf(options), ...(amendment === undefined ? {} : { amendment }) },
    });
    // Whoever waits for an agent that is reset while it runs receives its new end.
    if (isRunning) break;
  }
  return resets;
}

function movedOn(delegation: string, parent: string, isRunning: boolean): BatonError {
  const id = displayId(delegation);
  const since = isRunning ? 'has continued since' : 'has ended since';
  return new BatonError(
    'Client.ParentMovedOn',
    `The agent that delegated this, ${displayId(parent)}, has received its failure and ${since}.`,
    `Take it back too, to the moment before it delegated this; what it did since is done anew: baton retry ${id} --with-parent`,
  );
}

interface FoundRequest {
  readonly record: ExecutionRecord;
  readonly request: RecordedChild;
}

/** Finds the last request of a child, in whichever execution of its parent. */
async function requestOf(client: Client, parent: string, child: string): Promise<FoundRequest> {
  let record: ExecutionRecord | undefined = await readLatest(client, parent);
  while (record !== undefined) {
    const request = record.children.filter(({ workflowId }) => workflowId === child).at(-1);
    if (request !== undefined) return { record, request };
    record = record.continuedFrom === undefined ? undefined : await readExecution(client, parent, record.continuedFrom);
  }
  throw new BatonError(
    'Client.NotFound',
    `The server no longer has the history in which ${displayId(parent)} requested ${displayId(child)}, so it can't be taken back.`,
  );
}

const childStartSchema = z.object({ sharedSession: z.string().nullable() });

/** The task before which a child did not exist, nor the session that it shares with others. */
async function taskBefore(client: Client, { children }: ExecutionRecord, request: RecordedChild): Promise<number> {
  const { first } = await readLatest(client, request.workflowId);
  const start = await new Decoder(client).read(first.workflowExecutionStartedEventAttributes?.input, childStartSchema);
  const host = children.filter(({ workflowId }) => workflowId === start?.sharedSession).at(-1);
  return Math.min(request.task, host?.task ?? request.task);
}

/** Plans to open hosts of shared sessions again that have closed, with everything that was written to them. */
export async function reopenedHosts(client: Client, hosts: readonly RecordedChild[]): Promise<readonly PlannedReset[]> {
  const resets: PlannedReset[] = [];
  for (const { workflowId } of hosts) {
    const { status, runId } = await describeAgent(client, workflowId);
    if (status.name === 'RUNNING') continue;
    const { tasks, signals } = await readLatest(client, workflowId);
    const closed = signals.get(closeSessionSignal.name) ?? Number.POSITIVE_INFINITY;
    const task = tasks.filter((id) => id < closed).at(-1);
    if (task === undefined) {
      throw new BatonError(
        'Client.NotApplicable',
        `The session that the delegations shared can't be opened again: ${displayId(workflowId)} closed before it had done anything.`,
      );
    }
    resets.push({ workflowId, executionId: runId, latestId: runId, task, forgetsSignals: true });
  }
  return resets;
}
