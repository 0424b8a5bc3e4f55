import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { runWorkflowId } from '../../domain/kernel/ids';
import { queryAgentStatus } from './run-view';
import { owningRunId } from '../../domain/kernel/agent-id';
import { agentExecutions, parkedQuery, rootsQuery } from './executions';

const idsPerQuery = 50;

/** Lists the runs in which any agent, at any depth, is waiting for an operator. Requires Baton's search attributes. */
export async function* runsThatNeedOperator(client: Client): AsyncIterable<WorkflowExecutionInfo> {
  const parked = await agentExecutions(client, parkedQuery);
  const ids = [...new Set(parked.map(({ workflowId }) => runWorkflowId(owningRunId(workflowId))))];
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const some = ids.slice(from, from + idsPerQuery).map((id) => `'${id}'`);
    yield* client.workflow.list({
      query: `${rootsQuery} AND WorkflowId IN (${some.join(', ')}) AND ExecutionStatus = 'Running'`,
    });
  }
}

/** Lists paused runs. No search attribute shows that a run is paused, so every running root agent is queried. */
export async function* pausedRuns(client: Client): AsyncIterable<WorkflowExecutionInfo> {
  for await (const run of client.workflow.list({ query: `${rootsQuery} AND ExecutionStatus = 'Running'` })) {
    if ((await queryAgentStatus(client, run.workflowId))?.paused === true) yield run;
  }
}
