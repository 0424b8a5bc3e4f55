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

  read(step: HistoryStep): ReturnType<EventTranslator['read']> {
    return isAboutLife(step.event) ? this.lived(step) : nothing;
  }

  private async lived({ event }: HistoryStep): Promise<readonly PendingEvent[]> {
    const body = (await this.started(event)) ?? this.changed(event) ?? (await this.ended(event));
    return body === undefined ? [] : [{ body }];
  }

  private async started({
    workflowExecutionStartedEventAttributes: started,
  }: HistoryEvent): Promise<LifecycleEvent | undefined> {
    if (!started) return undefined;
    this.owner = started.workflowType?.name === sessionWorkflowContract.name ? 'session' : 'agent';
    if (started.continuedExecutionRunId) return { kind: `${this.owner}.continued`, execution: this.executionId };
    const { delegationId, model, skill } = (await this.decoder.read(started.input, agentStart)) ?? {};
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

  private async ended(event: HistoryEvent): Promise<LifecycleEvent | undefined> {
    const { owner } = this;
    if (event.workflowExecutionCompletedEventAttributes) return { kind: `${owner}.completed` };
    if (event.workflowExecutionCanceledEventAttributes) return { kind: `${owner}.cancelled` };
    if (event.workflowExecutionTimedOutEventAttributes) return { kind: `${owner}.timedOut` };
    const terminated = event.workflowExecutionTerminatedEventAttributes;
    if (terminated) return { kind: `${owner}.terminated`, reason: terminated.reason ?? '' };
    const failed = event.workflowExecutionFailedEventAttributes;
    if (!failed) return undefined;
    return { kind: `${owner}.failed`, failure: await this.decoder.failure(failed.failure, 'Failed') };
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

  read({ completed }: HistoryStep): ReturnType<EventTranslator['read']> {
    return completed ? this.between(completed) : nothing;
  }

  private async between(completed: Completed): Promise<readonly PendingEvent[]> {
    const body = await this.body(completed);
    return body === undefined ? [] : [{ body }];
  }

  private async body(completed: Completed): Promise<WorkEvent | undefined> {
    switch (completed.name) {
      case takeHandoffActivity.name:
        return this.handedOver(completed);
      case runTurnActivity.name: {
        const result = await this.decoder.read(completed.result, runTurnActivity.result);
        const checked = result === undefined || !areTurns(result) ? undefined : turnsOf(result).at(-1)?.checked;
        if (checked === undefined || !('violation' in checked)) return undefined;
        return { kind: 'answer.refused', violation: checked.violation };
      }
      case changeToolsActivity.name: {
        const requested = await this.decoder.read(completed.input, changeToolsActivity.input);
        const { refused = [], found = [] } =
          (await this.decoder.read(completed.result, changeToolsActivity.result)) ?? {};
        const granted = requested?.grant.filter((name) => !refused.includes(name) && !found.includes(name)) ?? [];
        const broughtIn = found.length === 0 ? {} : { found };
        return { kind: 'tools.changed', granted, revoked: requested?.revoke ?? [], refused, ...broughtIn };
      }
      default:
        return undefined;
    }
  }

  private async handedOver({ input, result }: Completed): Promise<WorkEvent | undefined> {
    const requested = await this.decoder.read(input, takeHandoffActivity.input);
    const checked = await this.decoder.read(result, takeHandoffActivity.result);
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
