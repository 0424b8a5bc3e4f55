import type { Client } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { randomUUID } from 'node:crypto';
import { failureCause } from '../../temporal-config/failure-cause';

// Requests as any client can make them: with any payloads, or none.

export type RawPayload = temporal.api.common.v1.IPayload;

const { UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED: completed } =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage;

export function payload(encoding: string, data: string | Uint8Array): RawPayload {
  return { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
}

export function json(value: unknown): RawPayload {
  return payload('json/plain', JSON.stringify(value));
}

/** Payloads that are not JSON, or not payloads at all. */
export const unreadable: Readonly<Record<string, RawPayload>> = {
  'cut JSON': payload('json/plain', '{"paused":'),
  'no text': payload('json/plain', new Uint8Array([0xff, 0xfe])),
  binary: payload('binary/plain', new Uint8Array([0, 1, 2])),
  'an unknown encoding': payload('binary/encrypted', 'secret'),
  'no encoding': { data: Buffer.from('{}') },
};

/** A payload that is encrypted with a key which no worker has. */
export const foreign: RawPayload = {
  metadata: { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from('of-someone-else') },
  data: Buffer.from('secret'),
};

/** What happened to a request: it was carried out, or refused with a failure of this type. */
export type Answer = { readonly ok: true } | { readonly ok: false; readonly type: string; readonly message: string };

/** Sends requests to one workflow. */
export class RawRequests {
  private readonly target: { readonly namespace: string; readonly workflowExecution: { workflowId: string } };

  constructor(
    private readonly client: Client,
    readonly workflowId: string,
  ) {
    this.target = { namespace: client.options.namespace, workflowExecution: { workflowId } };
  }

  async signal(signalName: string, payloads: readonly RawPayload[]): Promise<void> {
    await this.client.workflowService.signalWorkflowExecution({
      ...this.target,
      signalName,
      input: { payloads: [...payloads] },
      requestId: randomUUID(),
    });
  }

  async update(name: string, payloads: readonly RawPayload[]): Promise<Answer> {
    const { outcome } = await this.client.workflowService.updateWorkflowExecution({
      ...this.target,
      waitPolicy: { lifecycleStage: completed },
      request: { meta: { updateId: randomUUID() }, input: { name, args: { payloads: [...payloads] } } },
    });
    if (!outcome?.failure) return { ok: true };
    const error = await decodeOptionalFailureToOptionalError(this.client.options.loadedDataConverter, outcome.failure);
    const { type = 'none', message } = failureCause(error, () => false);
    return { ok: false, type, message };
  }

  /** A query's failure has no type. */
  async query(queryType: string, payloads: readonly RawPayload[] = []): Promise<Answer> {
    try {
      await this.client.workflowService.queryWorkflow({
        namespace: this.target.namespace,
        execution: this.target.workflowExecution,
        query: { queryType, queryArgs: { payloads: [...payloads] } },
      });
      return { ok: true };
    } catch (error) {
      return { ok: false, type: 'Query.Failed', message: String(error) };
    }
  }
}

/** Starts a workflow with any input. Returns its workflow id. */
export async function startRaw(
  client: Client,
  taskQueue: string,
  type: string,
  payloads: readonly RawPayload[],
  workflowId = `raw/${randomUUID()}`,
): Promise<string> {
  await client.workflowService.startWorkflowExecution({
    namespace: client.options.namespace,
    workflowId,
    workflowType: { name: type },
    taskQueue: { name: taskQueue },
    input: { payloads: [...payloads] },
    requestId: randomUUID(),
  });
  return workflowId;
}

/** Messages of the workflow tasks that have failed. */
export async function failedTasks(client: Client, workflowId: string): Promise<string[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed ? [failed.failure?.message ?? 'unknown'] : [],
  );
}
