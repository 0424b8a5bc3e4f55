import { randomUUID } from 'node:crypto';
import { auditRun, type AuditedAgent } from '../../client/prompt/audit-run';
import { runIdOf } from '../../domain/kernel';
import type { Script, ScriptedCall } from '../../testing/scripted-model';
import type { Harness, RunHandle, RunWishes } from './harness';

/** Starts a run without a goal, unless it is given one, and records the calls to its model. */
export async function playRoot(
  harness: Harness,
  script: Script,
  wishes: RunWishes,
): Promise<{ handle: RunHandle; asked: ScriptedCall[] }> {
  const asked: ScriptedCall[] = [];
  harness.model.setScript((call) => {
    asked.push(call);
    return script(call);
  });
  return { handle: await harness.startRun({ goal: undefined, ...wishes }), asked };
}

/** Names of the tools that a call offers to the model. */
export function toolsOf(call: ScriptedCall | undefined): string[] {
  return (call?.request.tools ?? []).map((tool) => (tool as { name: string }).name);
}

export async function answerOf(handle: RunHandle): Promise<string> {
  const { answer } = await handle.result();
  return 'text' in answer ? answer.text : 'a long answer';
}

export function audited({ client, store }: Harness, { workflowId }: RunHandle): Promise<AuditedAgent> {
  return auditRun(client, store.forRun(runIdOf(workflowId)!));
}

/** Resets the first execution of a run to its first workflow task, and returns the new result. */
export async function resetToStart(harness: Harness, handle: RunHandle): Promise<unknown> {
  const { workflowId, firstExecutionRunId } = handle;
  const { events } = await harness.client.workflow.getHandle(workflowId, firstExecutionRunId).fetchHistory();
  const { eventId } = events!.find((event) => event.workflowTaskCompletedEventAttributes)!;
  const { runId } = await harness.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId: firstExecutionRunId },
    workflowTaskFinishEventId: eventId!,
    requestId: randomUUID(),
    reason: 'test',
  });
  return harness.client.workflow.getHandle(workflowId, runId).result();
}
