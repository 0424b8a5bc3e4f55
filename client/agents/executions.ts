import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { searchAttributes } from '../../temporal-config/search-attributes';
import { runOf } from './agent-id';

/** Hosts of shared sessions live in a run as well, but they are no agents. */
export const agentTypes = ['runWorkflow', 'relayWorkflow', 'delegationWorkflow'] as const;
export const rootTypes = ['runWorkflow', 'relayWorkflow'] as const;

/** An execution as the server lists it. */
export interface AgentExecution {
  readonly workflowId: string;
  readonly type: string;
  /** The server's word for it: `RUNNING`, `COMPLETED`, … */
  readonly state: string;
  /** What the agent says of itself, where the namespace has Baton's search attributes. */
  readonly batonStatus: string | null;
  readonly skill: string | null;
  readonly startedAt: number;
  readonly closedAt: number | null;
}

/** Conditions of a visibility query: workflow ids alone tell who belongs to a run, so it needs no search attribute. */
export function below(workflowId: string): string {
  return `WorkflowId STARTS_WITH '${workflowId}/'`;
}

export function atOrBelow(workflowId: string): string {
  return `(WorkflowId = '${workflowId}' OR ${below(workflowId)})`;
}

export const isAgent = `WorkflowType IN (${quoted(agentTypes)})`;
export const isRoot = `WorkflowType IN (${quoted(rootTypes)})`;
export const isParked = `${searchAttributes.status.name} = 'needs_operator' AND ExecutionStatus = 'Running'`;

/** The latest execution of each agent that the query finds, in the order in which they were started. */
export async function agentExecutions(client: Client, query: string): Promise<AgentExecution[]> {
  const latest = new Map<string, AgentExecution>();
  const list = client.workflow.list({ query: `${query} AND ExecutionStatus != 'ContinuedAsNew'`, pageSize: 1_000 });
  for await (const info of list) {
    const found = toExecution(info);
    const known = latest.get(found.workflowId);
    // A failed delegation is started again under the same id.
    if (known === undefined || known.startedAt < found.startedAt) latest.set(found.workflowId, found);
  }
  return [...latest.values()].sort(byStart);
}

export function toExecution(info: Omit<WorkflowExecutionInfo, 'raw'>): AgentExecution {
  const { workflowId, type, status, startTime, closeTime, typedSearchAttributes } = info;
  return {
    workflowId,
    type,
    state: status.name,
    batonStatus: typedSearchAttributes.get(searchAttributes.status) ?? null,
    skill: typedSearchAttributes.get(searchAttributes.skill) ?? null,
    startedAt: startTime.getTime(),
    closedAt: closeTime?.getTime() ?? null,
  };
}

/** Stable: two that were started at the same moment stand in the order of their ids. */
export function byStart(a: AgentExecution, b: AgentExecution): number {
  return a.startedAt - b.startedAt || (a.workflowId < b.workflowId ? -1 : 1);
}

/** Agents of a run, or of a part of it, that wait for an operator. */
export function parkedAgents(client: Client, workflowId: string): Promise<AgentExecution[]> {
  return agentExecutions(client, `${atOrBelow(workflowId)} AND ${isParked}`);
}

/** Agents of a run whose delegation id begins so. */
export function agentsNamed(client: Client, workflowId: string, prefix: string): Promise<AgentExecution[]> {
  const all = agentExecutions(client, `${below(`run/${runOf(workflowId)}`)} AND ${isAgent}`);
  return all.then((agents) => agents.filter((agent) => lastOf(agent.workflowId).startsWith(prefix)));
}

function lastOf(workflowId: string): string {
  return workflowId.slice(workflowId.lastIndexOf('/') + 1);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
