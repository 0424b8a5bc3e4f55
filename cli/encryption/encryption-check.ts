import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { encryptedWith } from '../../encryption/payload-codec';
import type { CliContext, OpenConnection } from '../context';
import type { Check, Finding } from '../service/checks';

type Result = Omit<Finding, 'name'>;

/** What wrote the payloads of a run: its client, and the worker that took its first step. */
interface Written {
  readonly workflowId: string;
  readonly client: string | undefined;
  /** Null if no worker has taken a step. */
  readonly worker: string | undefined | null;
}

/**
 * Says which keys are used here, and compares them with the newest run: a client and a worker that encrypt differently
 * show there.
 */
export function encryptionCheck({ settings }: CliContext, { client, namespace }: OpenConnection): Check {
  return {
    name: 'Encryption',
    async run() {
      const ids = settings().encryption?.ids ?? [];
      const here = ids.length === 0 ? 'off' : `on, with ${describe(ids)}`;
      const newest = await newestRun(client, namespace).catch(() => undefined);
      return newest === undefined ? { state: 'ok', detail: here } : compare(ids, here, newest);
    },
  };
}

function describe([first = '', ...others]: readonly string[]): string {
  return `the key ${first}${others.length === 0 ? '' : ` (also reads ${others.join(', ')})`}`;
}

function compare(ids: readonly string[], here: string, { workflowId, client, worker }: Written): Result {
  const used = [client, ...(worker === null ? [] : [worker])];
  const detail = `${here}; the newest run, ${workflowId}, was started ${by(client)}${worker === null ? '' : ` and is worked on ${by(worker)}`}`;
  const unknown = used.find((id) => id !== undefined && !ids.includes(id));
  if (unknown !== undefined)
    return {
      state: 'fail',
      detail,
      fix: `Add the key "${unknown}" to BATON_ENCRYPTION_KEYS, or this run can't be read.`,
    };
  const plain = used.includes(undefined);
  if (plain && new Set(used).size > 1)
    return {
      state: 'warn',
      detail,
      fix: 'Give all workers and clients the same BATON_ENCRYPTION_KEYS, and restart them.',
    };
  if (plain && ids.length > 0)
    return {
      state: 'warn',
      detail,
      fix: 'If it was started after encryption was turned on, give its client and worker the keys.',
    };
  return { state: 'ok', detail };
}

function by(id: string | undefined): string {
  return id === undefined ? 'without encryption' : `with the key ${id}`;
}

/** Looks at the first events of the newest run, without decoding them. */
async function newestRun(client: Client, namespace: string): Promise<Written | undefined> {
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace,
    query: "WorkflowType = 'runWorkflow' OR WorkflowType = 'relayWorkflow'",
    pageSize: 1,
  });
  const { workflowId, runId } = executions[0]?.execution ?? {};
  if (!workflowId) return undefined;
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId, runId: runId ?? '' },
    maximumPageSize: 20,
  });
  const events = history?.events ?? [];
  const started = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  const step = events.find((event) => event.activityTaskScheduledEventAttributes)?.activityTaskScheduledEventAttributes;
  const input = step?.input?.payloads?.[0];
  return { workflowId, client: keyOf(started), worker: input === undefined ? null : keyOf(input) };
}

function keyOf(payload: Payload | null | undefined): string | undefined {
  return payload ? encryptedWith(payload) : undefined;
}
