import { temporal } from '@temporalio/proto';
import { awaitDelegationActivity, delegationResultSchema } from '../../../domain/delegation';
import { noUsage } from '../../../domain/model';
import { awaitSessionActivity, sessionWorkflowContract } from '../../../domain/session';
import { idOf, type Decoder, type HistoryEvent, type Payloads } from '../decoder';
import type { DelegationEvent } from '../record';
import { type Activity, type EventTranslator, type HistoryStep, nothing, type PendingEvent } from './step';

interface Child {
  readonly workflowId: string;
  readonly isHost: boolean;
  /** UI summary that the child was started with. */
  readonly summary: string;
}

/** A delegation that a tool call or a relay requested. */
export interface RequestedDelegation {
  readonly tool: string;
  readonly headline: string;
  /** Number of the turn that requested it; 0 in a relay. */
  readonly turn: number;
  /** The call that requested it; null in a relay. */
  readonly callId: string | null;
  /** Zero-based place among the delegations of the call, and their number. */
  readonly index: number;
  readonly size: number;
}

const unknownRequest = { tool: null, headline: '', turn: 0, callId: null, index: 0, size: 1 };

const { START_CHILD_WORKFLOW_EXECUTION_FAILED_CAUSE_WORKFLOW_ALREADY_EXISTS: alreadyExists } =
  temporal.api.enums.v1.StartChildWorkflowExecutionFailedCause;

/** Recorded in place of the tool name when a relay started the delegation. */
export const relayName = 'relay';

/** Translates events about child workflows: delegations, and hosts of shared sessions. */
export class Children implements EventTranslator {
  /** Children by the id of the event that initiated them. */
  private readonly initiated = new Map<number, Child>();

  constructor(
    private readonly decoder: Decoder,
    private readonly asked: ReadonlyMap<string, RequestedDelegation>,
  ) {}

  read(step: HistoryStep): readonly PendingEvent[] {
    const activity = step.scheduled ?? step.completed ?? step.failed;
    if (activity) return waits(activity) ? this.waited(step) : nothing;
    if (step.event.startChildWorkflowExecutionInitiatedEventAttributes) return this.remember(step.event);
    const draft = this.begun(step.event) ?? this.ended(step.event);
    return draft === undefined ? nothing : [draft];
  }

  private waited(step: HistoryStep): readonly PendingEvent[] {
    const draft = this.adopted(step) ?? this.awaited(step);
    return draft === undefined ? [] : [draft];
  }

  private remember(event: HistoryEvent): readonly PendingEvent[] {
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    this.initiated.set(idOf(event.eventId), {
      workflowId: child?.workflowId ?? '',
      isHost: child?.workflowType?.name === sessionWorkflowContract.name,
      summary: this.decoder.summaryOf(event) ?? '',
    });
    return [];
  }

  private begun(event: HistoryEvent): PendingEvent | undefined {
    const started = event.childWorkflowExecutionStartedEventAttributes;
    if (started) {
      const child = this.initiated.get(idOf(started.initiatedEventId));
      return child && this.begins(child, 'delegation.started', started.workflowExecution?.runId ?? undefined);
    }
    const failed = event.startChildWorkflowExecutionFailedEventAttributes;
    const child = failed && this.initiated.get(idOf(failed.initiatedEventId));
    if (!child) return undefined;
    // A delegation is adopted when its parent begins to wait for it. A failed one may be started again instead.
    if (failed.cause === alreadyExists)
      return child.isHost ? this.begins(child, 'delegation.adopted', undefined) : undefined;
    return this.failed(child, { message: 'it could not be started' });
  }

  private adopted({ scheduled }: HistoryStep): PendingEvent | undefined {
    if (scheduled?.name !== awaitDelegationActivity.name) return undefined;
    const existing = this.decoder.value(scheduled.input, awaitDelegationActivity.input);
    const child = [...this.initiated.values()].find(({ workflowId }) => workflowId === existing?.workflowId);
    return child && this.begins(child, 'delegation.adopted', undefined);
  }

  private begins(
    child: Child,
    kind: 'delegation.started' | 'delegation.adopted',
    executionId: string | undefined,
  ): PendingEvent {
    const { workflowId, isHost, summary } = child;
    const opens = { workflowId, executionId };
    if (isHost) return { body: { kind: 'session.shared', host: workflowId }, opens };
    const ids = idsOf(workflowId);
    const { tool, headline, ...place } = this.asked.get(ids.delegationId) ?? unknownRequest;
    // Only the UI summary contains the headline of a relay step, after the name of the prompt.
    const title = tool === relayName ? summary.slice(summary.indexOf(': ') + 2) || headline : headline;
    return { body: { kind, ...ids, tool, headline: title, ...place }, opens };
  }

  private ended(event: HistoryEvent): PendingEvent | undefined {
    const completed = event.childWorkflowExecutionCompletedEventAttributes;
    const failed = event.childWorkflowExecutionFailedEventAttributes;
    const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
    const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
    const timedOut = event.childWorkflowExecutionTimedOutEventAttributes;
    const child = this.initiated.get(
      idOf((completed ?? failed ?? cancelled ?? terminated ?? timedOut)?.initiatedEventId),
    );
    if (child === undefined) return undefined;
    if (completed) return this.completed(child.workflowId, child.isHost, completed.result);
    if (failed) return this.failed(child, failed.failure);
    const kind = cancelled ? 'cancelled' : terminated ? 'terminated' : 'timedOut';
    return ending(child.workflowId, child.isHost, { kind: `delegation.${kind}`, ...idsOf(child.workflowId) });
  }

  /** The parent waits with an activity for a child that existed before. */
  private awaited({ completed, failed }: HistoryStep): PendingEvent | undefined {
    const activity = completed ?? failed;
    const isHost = activity?.name === awaitSessionActivity.name;
    if (!activity || !(isHost || activity.name === awaitDelegationActivity.name)) return undefined;
    const { workflowId } =
      this.decoder.value(activity.input, isHost ? awaitSessionActivity.input : awaitDelegationActivity.input) ?? {};
    if (workflowId === undefined) return undefined;
    if (completed) return this.completed(workflowId, isHost, completed.result);
    const failure = failed?.failure ?? { type: 'Failed', message: '' };
    return ending(workflowId, isHost, { kind: 'delegation.failed', ...idsOf(workflowId), failure });
  }

  private completed(workflowId: string, isHost: boolean, result: Payloads): PendingEvent {
    if (isHost) return { body: { kind: 'session.returned', host: workflowId }, awaits: workflowId };
    const { spent, artifacts = [], missingArtifacts = [] } = this.decoder.value(result, delegationResultSchema) ?? {};
    const names = artifacts.map(({ name }) => name);
    const results = { usage: spent?.usage ?? noUsage, artifacts: names, missingArtifacts };
    return ending(workflowId, false, { kind: 'delegation.completed', ...idsOf(workflowId), ...results });
  }

  private failed(
    { workflowId, isHost }: Child,
    reason: temporal.api.failure.v1.IFailure | null | undefined,
  ): PendingEvent {
    const failure = this.decoder.cause(reason, 'Delegation.Failed');
    return ending(workflowId, isHost, { kind: 'delegation.failed', ...idsOf(workflowId), failure });
  }
}

/** Whether an activity waits for a child that existed before. */
function waits({ name }: Activity): boolean {
  return name === awaitDelegationActivity.name || name === awaitSessionActivity.name;
}

/** A host that ends without returning the session has lost it, however it ended. */
function ending(workflowId: string, isHost: boolean, body: DelegationEvent): PendingEvent {
  return isHost
    ? { body: { kind: 'session.lost', host: workflowId }, awaits: workflowId }
    : { body, awaits: workflowId };
}

/** Workflow ids are paths; the last part of a child's id is its delegation id. */
function idsOf(workflowId: string): { readonly delegationId: string; readonly child: string } {
  return { delegationId: workflowId.slice(workflowId.lastIndexOf('/') + 1), child: workflowId };
}
