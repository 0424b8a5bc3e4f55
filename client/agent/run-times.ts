import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { readStartMemo } from '../../domain/agent';
import { overview } from '../../temporal-config/node/overview';

type Described = Pick<WorkflowExecutionInfo, 'workflowId' | 'startTime'> & {
  readonly memo?: WorkflowExecutionInfo['memo'] | undefined;
};

/** Ids in one query of the server's list. */
const idsPerQuery = 50;

/**
 * Returns when an agent was first started, in milliseconds since 1970, as far as one of its executions knows: each one
 * that continues another has the time in its memo. A reset begins an execution whose own start is later.
 */
export function knownStart({ startTime, memo }: Pick<Described, 'startTime' | 'memo'>): number {
  const first = Date.parse(readStartMemo(memo) ?? '');
  return Math.min(startTime.getTime(), Number.isNaN(first) ? Infinity : first);
}

/**
 * Returns when agents were first started, over all their executions, by workflow id. That takes one request for fifty of
 * them: the server's list has the executions that a reset replaced.
 */
export async function firstStarts(
  client: Client,
  executions: readonly Described[],
): Promise<ReadonlyMap<string, number>> {
  const starts = new Map<string, number>();
  const add = (execution: Described): void => {
    const known = starts.get(execution.workflowId) ?? Infinity;
    starts.set(execution.workflowId, Math.min(known, knownStart(execution)));
  };
  executions.forEach(add);
  const ids = [...starts.keys()];
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const some = ids.slice(from, from + idsPerQuery).map((id) => `'${id}'`);
    const query = `WorkflowId IN (${some.join(', ')}) AND ExecutionStatus != 'ContinuedAsNew'`;
    for await (const execution of overview(client).list({ query, pageSize: 1_000 })) add(execution);
  }
  return starts;
}

/** Returns when one agent was first started, over all its executions, in milliseconds since 1970. */
export async function firstStart(client: Client, execution: Described): Promise<number> {
  const starts = await firstStarts(client, [execution]);
  return starts.get(execution.workflowId) ?? knownStart(execution);
}
