import { areTurns, runTurnActivity, turnsOf } from '../../../domain/agent';
import { takeHandoffActivity } from '../../../domain/handoff';
import { parseRetryReason } from '../../../domain/operator';
import { sessionWorkflowContract } from '../../../domain/session';
import { changeToolsActivity } from '../../../domain/tool';
import type { Decoder, HistoryEvent } from '../decoder';
import type { LifecycleEvent, Owner, WorkEvent } from '../record';
import { agentStart } from './start-arguments';
import { type EventTranslator, type HistoryStep, nothing, type PendingEvent } from './step';

/** Translates the start and the end of an execution. */
export class Lifecycle implements EventTranslator {
  private owner: Owner = 'agent';

  constructor(
    private readonly decoder: Decoder,
    private readonly executionId: string,
  ) {}

  read(step: HistoryStep): readonly PendingEvent[] {
    return isAboutLife(step.event) ? this.lived(step) : nothing;
  }

  private lived({ event }: HistoryStep): readonly PendingEvent[] {
    const body = this.started(event) ?? this.changed(event) ?? this.ended(event);
    return body === undefined ? [] : [{ body }];
  }

  private started({ workflowExecutionStartedEventAttributes: started }: HistoryEvent): LifecycleEvent | undefined {
    if (!started) return undefined;
    this.owner = started.workflowType?.name === sessionWorkflowContract.name ? 'session' : 'agent';
    if (started.continuedExecutionRunId) return { kind: `${this.owner}.continued`, execution: this.executionId };
    const { delegationId, model, skill } = this.decoder.value(started.input, agentStart) ?? {};
    return {
      kind: `${this.owner}.started`,
      execution: this.executionId,
      delegationId: delegationId ?? null,
      model: (skill === undefined ? model?.name : undefined) ?? null,
    };
  }

  private changed(event: HistoryEvent): LifecycleEvent | undefined {
    const request = event.workflowExecutionCancelRequestedEventAttributes;
    if (request) return { kind: `${this.owner}.cancelRequested`, reason: request.cause ?? '' };
    // Only a reset names a new run here. The events before it were copied from the run that was reset.
    const task = event.workflowTaskFailedEventAttributes;
    if (task?.newRunId !== this.executionId) return undefined;
    return { kind: `${this.owner}.reset`, execution: this.executionId, reason: readable(task.failure?.message ?? '') };
  }

  private ended(event: HistoryEvent): LifecycleEvent | undefined {
    const { owner } = this;
    if (event.workflowExecutionCompletedEventAttributes) return { kind: `${owner}.completed` };
    if (event.workflowExecutionCanceledEventAttributes) return { kind: `${owner}.cancelled` };
    if (event.workflowExecutionTimedOutEventAttributes) return { kind: `${owner}.timedOut` };
    const terminated = event.workflowExecutionTerminatedEventAttributes;
    if (terminated) return { kind: `${owner}.terminated`, reason: terminated.reason ?? '' };
    const failed = event.workflowExecutionFailedEventAttributes;
    if (!failed) return undefined;
    return { kind: `${owner}.failed`, failure: this.decoder.cause(failed.failure, 'Failed') };
  }
}

function isAboutLife(event: HistoryEvent): boolean {
  const attributes =
    event.workflowExecutionStartedEventAttributes ??
    event.workflowExecutionCancelRequestedEventAttributes ??
    event.workflowTaskFailedEventAttributes ??
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionCanceledEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes ??
    event.workflowExecutionTerminatedEventAttributes ??
    event.workflowExecutionFailedEventAttributes;
  return attributes != null;
}

type Completed = NonNullable<HistoryStep['completed']>;

/** Translates what happens between an agent's turns: handoffs, checks of its answer, and tool changes. */
export class BetweenTurnEvents implements EventTranslator {
  constructor(private readonly decoder: Decoder) {}

  read({ completed }: HistoryStep): readonly PendingEvent[] {
    return completed ? this.between(completed) : nothing;
  }

  private between(completed: Completed): readonly PendingEvent[] {
    const body = this.body(completed);
    return body === undefined ? [] : [{ body }];
  }

  private body(completed: Completed): WorkEvent | undefined {
    switch (completed.name) {
      case takeHandoffActivity.name:
        return this.handedOver(completed);
      case runTurnActivity.name: {
        const result = this.decoder.value(completed.result, runTurnActivity.result);
        const checked = result === undefined || !areTurns(result) ? undefined : turnsOf(result).at(-1)?.checked;
        if (checked === undefined || !('violation' in checked)) return undefined;
        return { kind: 'answer.refused', violation: checked.violation };
      }
      case changeToolsActivity.name: {
        const requested = this.decoder.value(completed.input, changeToolsActivity.input);
        const { refused = [], found = [] } = this.decoder.value(completed.result, changeToolsActivity.result) ?? {};
        const granted = requested?.grant.filter((name) => !refused.includes(name) && !found.includes(name)) ?? [];
        const broughtIn = found.length === 0 ? {} : { found };
        return { kind: 'tools.changed', granted, revoked: requested?.revoke ?? [], refused, ...broughtIn };
      }
      default:
        return undefined;
    }
  }

  private handedOver({ input, result }: Completed): WorkEvent | undefined {
    const requested = this.decoder.value(input, takeHandoffActivity.input);
    const checked = this.decoder.value(result, takeHandoffActivity.result);
    if (requested === undefined || checked === undefined) return undefined;
    if (!checked.ok) return { kind: 'handoff.refused', violation: checked.violation };
    const { artifact, artifactTokens } = checked;
    return { kind: 'agent.handedOver', handoff: requested.number, artifact: artifact.name, artifactTokens };
  }
}

/** The reason of a retry is written for the agent. */
function readable(reason: string): string {
  const retry = parseRetryReason(reason);
  if (retry === undefined) return reason;
  const { by, note, amendment } = retry;
  const what = amendment === undefined ? 'retried' : 'amended and retried';
  return `${what}${by === undefined ? '' : ` by ${by}`}${note === undefined ? '' : `: ${note}`}`;
}
