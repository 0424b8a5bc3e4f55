import { type Client, type WorkflowExecutionInfo, WorkflowNotFoundError } from '@temporalio/client';
import { runWorkflowContract } from '../../domain/agent';
import { delegationWorkflowContract } from '../../domain/delegation';
import { delegationPath, displayId, owningRunId, parentOf, parseAgentId } from '../../domain/kernel';
import { relayWorkflowContract } from '../../domain/relay';
import { childMemoSchema } from '../../domain/session';
import { searchAttributes } from '../../temporal-config/search-attributes';
import { ambiguousAgent, missingDelegation, missingRun } from '../client-errors';
import { knownStart } from './run-times';
import { overview } from '../../temporal-config/node/overview';

/** An agent that exists, and whether its latest execution is open. */
export interface FoundAgent {
  readonly workflowId: string;
  readonly isRunning: boolean;
}

/**
 * Finds an agent. A delegation may be named by its whole id or by its first letters, anywhere in the run. Throws a
 * `BatonError` if no agent or several match.
 */
export async function findAgent(client: Client, target: string, delegation?: string): Promise<FoundAgent> {
  const base = parseAgentId(target);
  const named = delegation === undefined ? base : parseAgentId(`${displayId(base)}/${delegation}`);
  const exact = await look(client, named);
  if (exact !== undefined) return exact;
  const [name] = delegationPath(named).slice(-1);
  if (name === undefined) throw missingRun(owningRunId(base));
  return byName(client, parentOf(named) ?? base, name);
}

async function look(client: Client, workflowId: string): Promise<FoundAgent | undefined> {
  try {
    const { status } = await overview(client).getHandle(workflowId).describe();
    return { workflowId, isRunning: status.name === 'RUNNING' };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

async function byName(client: Client, within: string, name: string): Promise<FoundAgent> {
  const run = owningRunId(within);
  const found = await agentsNamed(client, within, name);
  const [first] = found;
  if (first === undefined) throw missingDelegation(run, name);
  if (found.length === 1) return { workflowId: first.workflowId, isRunning: first.state === 'RUNNING' };
  throw ambiguousAgent(
    run,
    name,
    found.map(({ workflowId }) => displayId(workflowId)),
  );
}

/** Workflow types of agents. Hosts of shared sessions also belong to a run, but they are not agents. */
const agentTypes = [runWorkflowContract.name, relayWorkflowContract.name, delegationWorkflowContract.name] as const;
/** Workflow types that a client starts. */
const rootTypes = [runWorkflowContract.name, relayWorkflowContract.name] as const;

/** An agent's execution, as listed by the server. */
export interface AgentExecution {
  readonly workflowId: string;
  readonly type: string;
  /** Empty for an agent that only the store has. */
  readonly taskQueue: string;
  /** Temporal's status name: `RUNNING`, `COMPLETED`, … */
  readonly state: string;
  /** The status that the agent publishes; null in a namespace without Baton's search attributes. */
  readonly batonStatus: string | null;
  readonly skill: string | null;
  /** Position among the delegations of its parent, as requested; null if it is not known. */
  readonly ordinal: number | null;
  /** When the agent was started, over all its executions, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly closedAt: number | null;
}

/**
 * Query condition for everything below an agent. The workflow id alone shows which run an execution belongs to, so this
 * works without search attributes.
 */
export function descendantsQuery(workflowId: string): string {
  return `WorkflowId STARTS_WITH '${workflowId}/'`;
}

/** Query condition for an agent and everything below it. */
export function subtreeQuery(workflowId: string): string {
  return `(WorkflowId = '${workflowId}' OR ${descendantsQuery(workflowId)})`;
}

/** Query condition for agents of any kind. */
export const agentsQuery = `WorkflowType IN (${quoted(agentTypes)})`;
/** Query condition for root agents. */
export const rootsQuery = `WorkflowType IN (${quoted(rootTypes)})`;
/** Query condition for agents that are waiting for an operator. Requires Baton's search attributes. */
export const parkedQuery = `${searchAttributes.status.name} = 'needs_operator' AND ExecutionStatus = 'Running'`;

/** Query condition for agents with a skill. Requires Baton's search attributes. */
export const skilledQuery = `${searchAttributes.skill.name} IS NOT NULL`;

/** Lists the latest execution of each agent that matches the query, ordered by start time. */
export async function agentExecutions(client: Client, query: string): Promise<AgentExecution[]> {
  const latest = new Map<string, AgentExecution & { readonly begunAt: number }>();
  const list = overview(client).list({ query: `${query} AND ExecutionStatus != 'ContinuedAsNew'`, pageSize: 1_000 });
  for await (const info of list) {
    const found = { ...toExecution(info), begunAt: info.startTime.getTime() };
    const known = latest.get(found.workflowId);
    // After a reset there are several, and a failed delegation is started again under the same workflow id.
    const last = known === undefined || known.begunAt < found.begunAt ? found : known;
    const startedAt = Math.min(found.startedAt, known?.startedAt ?? Infinity);
    latest.set(found.workflowId, { ...last, startedAt });
  }
  return [...latest.values()].map(({ begunAt: _, ...execution }) => execution).sort(byStart);
}

/** Converts an entry of the server's list. */
export function toExecution(info: Omit<WorkflowExecutionInfo, 'raw'>): AgentExecution {
  const { workflowId, type, taskQueue, status, closeTime, typedSearchAttributes, memo } = info;
  return {
    workflowId,
    type,
    taskQueue,
    state: status.name,
    batonStatus: typedSearchAttributes.get(searchAttributes.status) ?? null,
    skill: typedSearchAttributes.get(searchAttributes.skill) ?? null,
    ordinal: childMemoSchema.safeParse(memo).data?.ordinal ?? null,
    startedAt: knownStart(info),
    closedAt: closeTime?.getTime() ?? null,
  };
}

/** Orders by start time. Executions that started at the same moment are ordered by id, so the order is stable. */
export function byStart(a: AgentExecution, b: AgentExecution): number {
  return a.startedAt - b.startedAt || (a.workflowId < b.workflowId ? -1 : 1);
}

/** Orders the delegations of one agent as it requested them. */
export function byRequest(a: AgentExecution, b: AgentExecution): number {
  return a.ordinal === null || b.ordinal === null ? byStart(a, b) : a.ordinal - b.ordinal || byStart(a, b);
}

/** Lists the agents at or below `workflowId` that are waiting for an operator. */
export function parkedAgents(client: Client, workflowId: string): Promise<AgentExecution[]> {
  return agentExecutions(client, `${subtreeQuery(workflowId)} AND ${parkedQuery}`);
}

/** Lists the agents of a run whose delegation id begins with `prefix`. */
function agentsNamed(client: Client, workflowId: string, prefix: string): Promise<AgentExecution[]> {
  const all = agentExecutions(client, `${descendantsQuery(`run/${owningRunId(workflowId)}`)} AND ${agentsQuery}`);
  return all.then((agents) => agents.filter((agent) => lastOf(agent.workflowId).startsWith(prefix)));
}

function lastOf(workflowId: string): string {
  return workflowId.slice(workflowId.lastIndexOf('/') + 1);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
