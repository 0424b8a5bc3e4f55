import type { Client, WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { deliverUpdate } from '../../client/operator/send-update';
import type { StatusSnapshot } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { DecisionRecord, Incident, OperatorDecision } from '../../domain/operator';
import { searchAttributes } from '../../temporal-config/search-attributes';
import { operatorDecisionUpdate, snapshotQuery } from '../../workflows/messages';
import { until } from './until';

/** An agent as operators see it and act on it, through the same API as the command line. */
export interface OperatedAgent {
  readonly handle: WorkflowHandle;
  snapshot(): Promise<StatusSnapshot>;
  /** The current details in the Web UI. */
  details(): Promise<string>;
  /** The search attribute `BatonStatus`; null when it is not set. */
  status(): Promise<string | null>;
  /** Waits for the first incident and returns it. */
  incident(id?: string): Promise<Incident>;
  decide(decision: OperatorDecision): Promise<DecisionRecord>;
}

export function operated(client: Client, workflowId: string): OperatedAgent {
  const handle = client.workflow.getHandle(workflowId);
  const snapshot = (): Promise<StatusSnapshot> => handle.query(snapshotQuery);
  return {
    handle,
    snapshot,
    details: async () =>
      (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '',
    status: async () => {
      const { typedSearchAttributes } = await handle.describe();
      return typedSearchAttributes.get(searchAttributes.status) ?? null;
    },
    incident: (id) => until(async () => (await snapshot()).incidents.find((one) => id === undefined || one.id === id)),
    decide: (decision) => deliverUpdate(client, workflowId, operatorDecisionUpdate, decision),
  };
}

/** Returns the message for the operator of an Update that was refused. */
export async function refusalOf(update: Promise<unknown>): Promise<string> {
  try {
    await update;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return cause instanceof Error ? cause.message : String(error);
  }
  return 'accepted';
}

/**
 * Starts agents that wait for an operator and whose workers are away for good. Returns how to end them.
 */
export async function parkWithoutWorker(client: Client, count: number): Promise<() => Promise<void>> {
  const handles = await Promise.all(
    Array.from({ length: count }, () =>
      client.workflow.start('runWorkflow', {
        workflowId: runWorkflowId(`away-${randomUUID()}`),
        taskQueue: 'nobody-is-here',
        typedSearchAttributes: [{ key: searchAttributes.status, value: 'needs_operator' }],
      }),
    ),
  );
  return async () => {
    await Promise.all(handles.map((handle) => handle.terminate()));
  };
}
