import type { Client } from '@temporalio/client';
import { endingSummary, runTurnActivity } from '../../domain/agent';
import { awaitDelegationActivity } from '../../domain/delegation';
import { displayId } from '../../domain/kernel';
import { findRetryActivity, parseIncidentSummary } from '../../domain/operator';
import { sessionWorkflowContract } from '../../domain/session';
import { describeAgent } from '../agent/outcome';
import { BatonError } from '../client-errors';
import { Decoder, type HistoryEvent, idOf } from '../event/decoder';
import { Histories } from '../event/histories';

/** A delegation or the host of a shared session, as its parent's history knows it. */
export interface RecordedChild {
  readonly workflowId: string;
  readonly isHost: boolean;
  /** The workflow task in which its parent requested it. */
  readonly task: number;
  /** The event of the request. */
  readonly requested: number;
  /** The event with which its parent received its end; undefined if that has not happened. */
  ended: number | undefined;
  /** Whether it ended with a result. */
  isDone: boolean;
}

/** An activity that failed for good. */
interface FailedStep {
  readonly name: string;
  /** The event of its request. */
  readonly scheduled: number;
  /** The workflow task in which it was requested. */
  readonly task: number;
}

/** What a retry has to know about one execution of a workflow. Numbers are event ids. */
export interface ExecutionRecord {
  readonly workflowId: string;
  /** Temporal's run id. */
  readonly executionId: string;
  /** The execution that it continues as new; undefined for the first. */
  readonly continuedFrom: string | undefined;
  readonly first: HistoryEvent;
  readonly last: HistoryEvent;
  /** Completed workflow tasks before the agent recorded its end. An execution can be reset to each of them. */
  readonly tasks: readonly number[];
  readonly children: readonly RecordedChild[];
  readonly failedSteps: readonly FailedStep[];
  /** Requests of model calls. */
  readonly modelCalls: readonly number[];
  /** The last time that the agent asked whether its failure was retried; undefined if it never did. */
  readonly question: { readonly task: number; readonly answered: number } | undefined;
  /** The request to cancel it; undefined if there was none. */
  readonly cancelRequested: number | undefined;
  /** Timers that fired, except those of incidents. Only a deadline has one. */
  readonly timersFired: readonly number[];
  /** Signals by name. */
  readonly signals: ReadonlyMap<string, number>;
}

/** Reads an execution. Undefined if the server no longer has its history. */
export async function readExecution(
  client: Client,
  workflowId: string,
  executionId: string,
): Promise<ExecutionRecord | undefined> {
  const reader = new Reader(new Decoder(client));
  for await (const { events } of new Histories(client).pages({ workflowId, executionId }))
    for (const event of events) await reader.read(event);
  return reader.record(workflowId, executionId);
}

/** Reads the latest execution of a workflow. Throws a `BatonError` if the server no longer has its history. */
export async function readLatest(client: Client, workflowId: string): Promise<ExecutionRecord> {
  const { runId } = await describeAgent(client, workflowId);
  const record = await readExecution(client, workflowId, runId);
  if (record !== undefined) return record;
  throw new BatonError(
    'Client.NotFound',
    `The server no longer has the history of ${displayId(workflowId)}, so it can't be continued.`,
    'Start it again under another id.',
  );
}

class Reader {
  private readonly tasks: number[] = [];
  private readonly children: RecordedChild[] = [];
  private readonly failedSteps: FailedStep[] = [];
  private readonly modelCalls: number[] = [];
  private readonly timersFired: number[] = [];
  private readonly signals = new Map<string, number>();
  private readonly incidentTimers = new Set<number>();
  private readonly activities = new Map<number, { readonly name: string; readonly task: number; awaits?: string }>();
  private question: ExecutionRecord['question'];
  private cancelRequested: number | undefined;
  /** The first event of recording the agent's end. */
  private ending = Number.POSITIVE_INFINITY;
  private first: HistoryEvent | undefined;
  private last: HistoryEvent | undefined;

  constructor(private readonly decoder: Decoder) {}

  record(workflowId: string, executionId: string): ExecutionRecord | undefined {
    const { first, last } = this;
    if (first === undefined || last === undefined) return undefined;
    const tasks = this.tasks.filter((id) => id < this.ending);
    const { children, failedSteps, modelCalls, question, cancelRequested, timersFired, signals } = this;
    const continuedFrom = first.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
    const places = { workflowId, executionId, continuedFrom, first, last };
    return { ...places, tasks, children, failedSteps, modelCalls, question, cancelRequested, timersFired, signals };
  }

  async read(event: HistoryEvent): Promise<void> {
    this.first ??= event;
    this.last = event;
    const id = idOf(event.eventId);
    if (event.workflowTaskCompletedEventAttributes) this.tasks.push(id);
    if (event.workflowExecutionCancelRequestedEventAttributes) this.cancelRequested ??= id;
    const signal = event.workflowExecutionSignaledEventAttributes?.signalName;
    if (signal != null) this.signals.set(signal, id);
    await this.readTimer(event, id);
    await this.readActivity(event, id);
    this.readChild(event, id);
  }

  private async readTimer(event: HistoryEvent, id: number): Promise<void> {
    if (event.timerStartedEventAttributes) {
      const isIncident = parseIncidentSummary((await this.decoder.summary(event)) ?? '') !== undefined;
      if (isIncident) this.incidentTimers.add(id);
    }
    const fired = event.timerFiredEventAttributes;
    if (fired && !this.incidentTimers.has(idOf(fired.startedEventId))) this.timersFired.push(id);
  }

  private async readActivity(event: HistoryEvent, id: number): Promise<void> {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const name = scheduled.activityType?.name ?? '';
      if ((await this.decoder.summary(event)) === endingSummary) this.ending = Math.min(this.ending, id);
      if (name === runTurnActivity.name) this.modelCalls.push(id);
      const awaited =
        name === awaitDelegationActivity.name
          ? await this.decoder.read(scheduled.input, awaitDelegationActivity.input)
          : undefined;
      const task = idOf(scheduled.workflowTaskCompletedEventId);
      this.activities.set(id, { name, task, ...(awaited === undefined ? {} : { awaits: awaited.workflowId }) });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    const ended = completed ?? failed;
    const scheduledId = idOf(ended?.scheduledEventId);
    const activity = this.activities.get(scheduledId);
    if (activity === undefined) return;
    const { name, task, awaits } = activity;
    if (completed && name === findRetryActivity.name) this.question = { task, answered: id };
    // An adopted child has no events of its own.
    if (awaits !== undefined) this.childEnded(awaits, id, completed != null);
    else if (failed) this.failedSteps.push({ name, task, scheduled: scheduledId });
  }

  private readChild(event: HistoryEvent, id: number): void {
    const requested = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (requested)
      this.children.push({
        workflowId: requested.workflowId ?? '',
        isHost: requested.workflowType?.name === sessionWorkflowContract.name,
        task: idOf(requested.workflowTaskCompletedEventId),
        requested: id,
        ended: undefined,
        isDone: false,
      });
    const done = event.childWorkflowExecutionCompletedEventAttributes;
    const ended =
      done ??
      event.childWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes ??
      event.childWorkflowExecutionTerminatedEventAttributes ??
      event.childWorkflowExecutionTimedOutEventAttributes;
    if (ended?.workflowExecution?.workflowId != null)
      this.childEnded(ended.workflowExecution.workflowId, id, done != null);
  }

  private childEnded(workflowId: string, id: number, isDone: boolean): void {
    const child = this.children.filter((one) => one.workflowId === workflowId).at(-1);
    if (child === undefined) return;
    child.ended = id;
    child.isDone = isDone;
  }
}
