import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { randomUUID } from 'node:crypto';
import { type PackedReplies, recordsOf, type Session } from '../../domain/session';
import { planSlice } from '../../domain/session/slices/plan-slice';
import { say, type Script, type ScriptedCall, useTool } from '../../testing/scripted-model';
import { depthOf } from './delegation-script';
import type { RunHandle } from './harness';
import { until } from './until';

/** Parameters of `dispatch_subagents`, with one delegation per reason. */
export function batch(reasons: readonly string[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    delegations: reasons.map((reason) => ({
      reason,
      expected_result: 'A word.',
      may_delegate_further: 'no',
      recap_lines: [`Do this: ${reason}`],
      ...more,
    })),
  };
}

/** One result of `dispatch_subagents`. */
export interface BatchResult {
  readonly output: string;
  readonly success: boolean;
  readonly error: string | null;
}

/** Returns the results of a batch: the JSON array after the heading. */
export function resultsOf({ text }: { readonly text: string }): readonly BatchResult[] {
  const array = /\n\n(\[\n[^]*?\n\])(?:\n|$)/.exec(text)?.[1];
  return JSON.parse(array ?? 'null') as readonly BatchResult[];
}

/** Returns which delegation a call belongs to: the outermost of those that its prompt embeds. */
export function reasonOf({ systemText }: ScriptedCall): string {
  return /\*\*Reason\*\* – (.*)/.exec(systemText)?.[1] ?? '';
}

/** A child that adds numbered steps to the plan, one per turn. This best shows what was done twice or not at all. */
export function planner(
  steps: number,
  before: (call: ScriptedCall) => Promise<unknown> = () => Promise.resolve(),
): Script {
  return async (call) => {
    await before(call);
    if (call.turn >= steps) return say(`Planned ${steps}.`);
    return useTool('add_plan_steps', { steps: [`${reasonOf(call)} ${call.turn + 1}`] });
  };
}

/** The plan steps that these planners add. */
export function planned(reasons: readonly string[], steps: number): string[] {
  return reasons.flatMap((reason) => Array.from({ length: steps }, (_, index) => `${reason} ${index + 1}`)).sort();
}

export function toldRoot(asked: readonly ScriptedCall[]): { readonly text: string; readonly isError: boolean } {
  const call = asked.filter((one) => depthOf(one) === 0).at(-1);
  return call?.toolExchanges.find(({ name }) => name === 'dispatch_subagents')?.result ?? { text: '', isError: true };
}

export async function sessionOf(client: Client, workflowId: string, runId?: string): Promise<Session> {
  return client.workflow.getHandle(workflowId, runId).query<Session>('session');
}

/** Titles of an agent's plan, sorted. */
export async function planOf(client: Client, workflowId: string, runId?: string): Promise<string[]> {
  return recordsOf(await sessionOf(client, workflowId, runId), planSlice)
    .map(({ title }) => title)
    .sort();
}

type Events = NonNullable<Awaited<ReturnType<RunHandle['fetchHistory']>>['events']>;

export interface StartedChild {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  /** The workflow task in which its parent requested it. Resetting to this task requests it again. */
  readonly task: Events[number]['eventId'];
}

/** Children that an execution has started so far, in the order in which it requested them. */
export async function childrenOf(client: Client, workflowId: string, runId?: string): Promise<StartedChild[]> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const started = (events ?? []).map((event) => event.childWorkflowExecutionStartedEventAttributes);
  return (events ?? []).flatMap(({ eventId, startChildWorkflowExecutionInitiatedEventAttributes: asked }) => {
    const child = started.find((one) => asked != null && one?.initiatedEventId?.equals(eventId!));
    const { workflowId: id, runId: run } = child?.workflowExecution ?? {};
    if (id == null || run == null) return [];
    const task = asked?.workflowTaskCompletedEventId ?? null;
    return [{ workflowId: id, runId: run, type: asked?.workflowType?.name ?? '', task }];
  });
}

/** Waits for the session host of a run's batch and returns it. */
export function hostOf(client: Client, { workflowId, firstExecutionRunId }: RunHandle): Promise<StartedChild> {
  return until(async () => {
    const children = await childrenOf(client, workflowId, firstExecutionRunId);
    return children.find(({ type }) => type === 'sessionWorkflow');
  });
}

/** Waits until a run has this many delegations, and returns them in the order in which they were started. */
export function delegationsOf(client: Client, run: RunHandle, count: number): Promise<StartedChild[]> {
  return until(async () => {
    const children = await childrenOf(client, run.workflowId, run.firstExecutionRunId);
    const delegations = children.filter(({ type }) => type === 'delegationWorkflow');
    return delegations.length < count ? undefined : delegations;
  });
}

/** Resets an execution to a workflow task; by default to its first. */
export async function reset(
  client: Client,
  { workflowId, runId }: Pick<StartedChild, 'workflowId' | 'runId'>,
  task?: StartedChild['task'],
): Promise<string> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const first = events?.find((event) => event.workflowTaskCompletedEventAttributes)?.eventId;
  const { runId: again } = await client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: task ?? first ?? null,
    requestId: randomUUID(),
    reason: 'test',
  });
  return again;
}

export interface HostRecord {
  readonly executions: number;
  /** The session version after every Update, in the order of the host's histories. */
  readonly versions: readonly number[];
}

/** What a host's histories contain, over all its executions. */
export async function recordOf(client: Client, { workflowId, runId }: StartedChild): Promise<HostRecord> {
  const versions: number[] = [];
  let executions = 0;
  for (let next: string | null | undefined = runId; next; executions += 1) {
    const { events }: { events?: Events | null } = await client.workflow.getHandle(workflowId, next).fetchHistory();
    for (const { workflowExecutionUpdateCompletedEventAttributes: done } of events ?? []) {
      const payloads = done?.outcome?.success?.payloads;
      if (payloads == null) continue;
      const decoded = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads);
      const [{ replies }] = decoded as [PackedReplies];
      versions.push(Math.max(...replies.flatMap((reply) => (reply.ok ? [reply.version] : []))));
    }
    next = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return { executions, versions };
}
