import type { Decoder, HistoryEvent } from '../decoder';
import type { LifecycleEvent, Owner } from '../record';
import type { PendingEvent, EventTranslator, HistoryStep } from './step';

interface AnyStart {
  readonly delegationId?: string;
  readonly model?: { readonly name?: string };
}

/** Translates the start and the end of an execution. */
export class Lifecycle implements EventTranslator {
  private owner: Owner = 'agent';

  constructor(
    private readonly decoder: Decoder,
    private readonly runId: string,
  ) {}

  async read({ event }: HistoryStep): Promise<readonly PendingEvent[]> {
    const body = (await this.started(event)) ?? this.changed(event) ?? (await this.ended(event));
    return body === undefined ? [] : [{ body }];
  }

  private async started({
    workflowExecutionStartedEventAttributes: started,
  }: HistoryEvent): Promise<LifecycleEvent | undefined> {
    if (!started) return undefined;
    this.owner = started.workflowType?.name === 'sessionWorkflow' ? 'session' : 'agent';
    if (started.continuedExecutionRunId) return { kind: `${this.owner}.continued`, execution: this.runId };
    const { delegationId, model } = await this.decoder.object<AnyStart>(started.input);
    return {
      kind: `${this.owner}.started`,
      execution: this.runId,
      delegationId: delegationId ?? null,
      model: model?.name ?? null,
    };
  }

  private changed(event: HistoryEvent): LifecycleEvent | undefined {
    const request = event.workflowExecutionCancelRequestedEventAttributes;
    if (request) return { kind: `${this.owner}.cancelRequested`, reason: request.cause ?? '' };
    // Only a reset names a new run here. The events before it were copied from the run that was reset.
    const task = event.workflowTaskFailedEventAttributes;
    if (task?.newRunId !== this.runId) return undefined;
    return { kind: `${this.owner}.reset`, execution: this.runId, reason: task.failure?.message ?? '' };
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
