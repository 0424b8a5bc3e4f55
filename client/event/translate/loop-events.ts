import { runTurnActivity } from '../../../domain/agent';
import {
  finishResultsActivity,
  prepareDelegationsActivity,
  renderResultsActivity,
} from '../../../domain/delegation/prepare';
import type { Json } from '../../../domain/kernel';
import type { ToolOutcome } from '../../../domain/tool';
import type { Decoder, HistoryEvent } from '../decoder';
import type { EventBody, SessionEventRecord } from '../record';
import { recordOf } from './own-session';
import { agentStart, resumedInput } from './start-arguments';
import { type EventTranslator, type HistoryStep, nothing, type PendingEvent } from './step';

interface Delegated {
  readonly delegationId: string;
  readonly planStepId: string | null;
  status: 'done' | 'failed' | undefined;
}

/**
 * Translates what an agent records in its isolated session about its delegations. History does not show whether such an
 * event was applied, so all of them have the status `wanted`. For a shared session they are in the host's history.
 */
export class LoopEvents implements EventTranslator {
  private writer: string | undefined;
  private turn = 0;
  private agent = '';
  private readonly byCall = new Map<string, Delegated>();

  constructor(private readonly decoder: Decoder) {}

  read(step: HistoryStep): readonly PendingEvent[] {
    return mayConcern(step) ? this.events(step) : nothing;
  }

  private events(step: HistoryStep): readonly PendingEvent[] {
    return this.implied(step).map((body) => ({ body }));
  }

  /** Returns the records that this step of the history implies. */
  private implied({ event, scheduled, completed }: HistoryStep): readonly SessionEventRecord[] {
    this.started(event);
    if (this.writer === undefined) return [];
    if (scheduled?.name === runTurnActivity.name) {
      const sent = this.decoder.value(scheduled.input, runTurnActivity.input);
      if (sent === undefined) return [];
      const records = this.endedRecords(sent.told?.outcomes ?? []);
      this.turn = sent.identity.call + 1;
      return records;
    }
    const continued = event.workflowExecutionContinuedAsNewEventAttributes;
    if (continued) {
      const next = this.decoder.value(continued.input, resumedInput);
      return this.endedRecords(next?.resume?.progress?.outcomes ?? []);
    }
    if (completed?.name === prepareDelegationsActivity.name) return this.prepared(completed);
    if (completed?.name === renderResultsActivity.name || completed?.name === finishResultsActivity.name) {
      const { artifacts = [] } = this.decoder.value(completed.result, renderResultsActivity.result) ?? {};
      return artifacts.map(({ name, ref }) =>
        this.record('artifactWritten', { name, ref: { ...ref }, by: this.agent }),
      );
    }
    return [];
  }

  /** Notes how a delegation ended, from the event that was translated for it. */
  ended(body: EventBody): void {
    if (!('delegationId' in body) || !('child' in body)) return;
    const delegated = [...this.byCall.values()].find(({ delegationId }) => delegationId === body.delegationId);
    if (delegated === undefined || body.kind === 'delegation.started' || body.kind === 'delegation.adopted') return;
    const complete = body.kind === 'delegation.completed' && body.missingArtifacts.length === 0;
    delegated.status = complete ? 'done' : 'failed';
  }

  private started({ workflowExecutionStartedEventAttributes: started }: HistoryEvent): void {
    if (!started) return;
    const { delegationId = 'root', sharedSession = null } = this.decoder.value(started.input, agentStart) ?? {};
    this.agent = started.workflowId ?? '';
    this.writer = sharedSession === null ? delegationId : undefined;
  }

  private prepared({ input, result }: NonNullable<HistoryStep['completed']>): readonly SessionEventRecord[] {
    const { calls = [] } = this.decoder.value(input, prepareDelegationsActivity.input) ?? {};
    const { delegations = [] } = this.decoder.value(result, prepareDelegationsActivity.result) ?? {};
    return delegations.flatMap((prepared, index) => {
      const callId = calls[index]?.call.id;
      if (callId === undefined || prepared?.ok !== true) return [];
      const { delegationId, promptNs, promptKey, planStepId } = prepared;
      this.byCall.set(callId, { delegationId, planStepId, status: undefined });
      return [
        this.record('delegationStarted', { delegationId, promptNs, promptKey }),
        ...this.planStep(planStepId, 'in_progress'),
      ];
    });
  }

  private endedRecords(outcomes: readonly Pick<ToolOutcome, 'callId'>[]): readonly SessionEventRecord[] {
    return outcomes.flatMap(({ callId }) => {
      const delegated = this.byCall.get(callId);
      this.byCall.delete(callId);
      if (delegated?.status === undefined) return [];
      const { delegationId, planStepId, status } = delegated;
      return [this.record('delegationEnded', { delegationId, status }), ...this.planStep(planStepId, status)];
    });
  }

  private planStep(id: string | null, status: string): readonly SessionEventRecord[] {
    return id === null ? [] : [this.record('planStepChanged', { id, status })];
  }

  private record(type: string, value: Json): SessionEventRecord {
    return recordOf({ writer: this.writer ?? '', turn: this.turn }, { type, value }, 'wanted');
  }
}

const meaningful: ReadonlySet<string | undefined> = new Set([
  prepareDelegationsActivity.name,
  renderResultsActivity.name,
  finishResultsActivity.name,
]);

function mayConcern({ event, scheduled, completed, failed }: HistoryStep): boolean {
  if (scheduled) return scheduled.name === runTurnActivity.name;
  if (completed ?? failed) return meaningful.has(completed?.name);
  return (
    (event.workflowExecutionStartedEventAttributes ?? event.workflowExecutionContinuedAsNewEventAttributes) != null
  );
}
