import type { RunTurnInput, Turn } from '../../../domain/agent';
import type { SpilledText } from '../../../domain/store';
import { idOf, microsecondsOf, type Decoder, type HistoryEvent, type Payloads } from '../decoder';
import type { EventBody, Failure } from '../record';

/** An activity, as it was scheduled. */
export interface Activity {
  readonly name: string;
  readonly input: Payloads;
}

/** An activity that has ended. Times are in microseconds since 1970. */
export interface EndedActivity extends Activity {
  /** When its last attempt started. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Number of attempts that were started. */
  readonly attempts: number;
}

/** A completed activity. */
export interface CompletedActivity extends EndedActivity {
  readonly result: Payloads;
}

/** A history event, with the activity that it is about. */
export interface HistoryStep {
  readonly event: HistoryEvent;
  readonly scheduled?: Activity;
  readonly completed?: CompletedActivity;
  readonly failed?: EndedActivity & { readonly failure: Failure };
}

/** A child whose events belong to the run from here on. */
export interface ChildToOpen {
  readonly workflowId: string;
  /** Temporal's run id of its first execution; undefined for a child that existed before. */
  readonly executionId: string | undefined;
}

/** The place of a turn in the store. */
export interface TurnPlace {
  /** Head of the transcript that ends with the reply. */
  readonly head: Turn['head'];
  readonly identity: RunTurnInput['identity'];
}

/** Where the texts of a tool call are, if the event does not have them. */
export interface CallTexts {
  readonly arguments?: SpilledText;
  /** Its result, or the turn whose record has it. */
  readonly result?: SpilledText | TurnPlace;
}

/** An event of the run that has no position yet, with its relations to other workflows. */
export interface PendingEvent {
  readonly body: EventBody;
  /** Only of an event `turn`. */
  readonly turn?: TurnPlace;
  /** Only of an event `tool`. */
  readonly texts?: CallTexts;
  readonly opens?: ChildToOpen;
  /** Workflow id of a child that has ended. All events of that child come first. */
  readonly awaits?: string;
  /** When it happened, in microseconds since 1970, if that was before the history event was recorded. */
  readonly time?: number;
}

/** Translates some kinds of history events. It receives every event exactly once, in order. */
export interface EventTranslator {
  read(step: HistoryStep): readonly PendingEvent[];
}

/** What a translator returns for events that don't concern it. */
export const nothing: readonly never[] = [];

/** Finds the activity that each history event belongs to. */
export class Steps {
  private readonly activities = new Map<number, Activity>();
  /** When activities were last started and how often, by the id of the event that scheduled them. */
  private readonly started = new Map<number, Pick<EndedActivity, 'startedAt' | 'attempts'>>();

  constructor(private readonly decoder: Decoder) {}

  /** Returns the event with its activity. */
  of(event: HistoryEvent): HistoryStep {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const activity = { name: scheduled.activityType?.name ?? '', input: scheduled.input };
      this.activities.set(idOf(event.eventId), activity);
      return { event, scheduled: activity };
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) {
      const activity = this.take(event, completed.scheduledEventId);
      return activity === undefined ? { event } : { event, completed: { ...activity, result: completed.result } };
    }
    const hasFailed =
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    return hasFailed ? this.ofFailed(event) : { event };
  }

  private ofFailed(event: HistoryEvent): HistoryStep {
    const failed = this.failureIn(event);
    const activity = this.take(event, failed?.id);
    return failed === undefined || activity === undefined ? { event } : { event, failed: { ...activity, ...failed } };
  }

  /** Notes when an activity started. True if the event tells that and nothing else. */
  noteStart(event: HistoryEvent): boolean {
    const started = event.activityTaskStartedEventAttributes;
    if (started)
      this.started.set(idOf(started.scheduledEventId), {
        startedAt: microsecondsOf(event),
        attempts: started.attempt ?? 1,
      });
    return started != null;
  }

  private failureIn(event: HistoryEvent): { id: HistoryEvent['eventId']; failure: Failure } | undefined {
    const failed = event.activityTaskFailedEventAttributes;
    const timedOut = event.activityTaskTimedOutEventAttributes;
    const cancelled = event.activityTaskCanceledEventAttributes;
    if (failed) return { id: failed.scheduledEventId, failure: this.decoder.cause(failed.failure, 'Failed') };
    if (timedOut) return { id: timedOut.scheduledEventId, failure: this.decoder.cause(timedOut.failure, 'TimedOut') };
    if (cancelled)
      return { id: cancelled.scheduledEventId, failure: { type: 'Cancelled', message: 'it was cancelled' } };
    return undefined;
  }

  private take(event: HistoryEvent, id: HistoryEvent['eventId']): EndedActivity | undefined {
    const activity = this.activities.get(idOf(id));
    const endedAt = microsecondsOf(event);
    const { startedAt, attempts } = this.started.get(idOf(id)) ?? { startedAt: endedAt, attempts: 1 };
    this.activities.delete(idOf(id));
    this.started.delete(idOf(id));
    return activity && { ...activity, startedAt, endedAt, attempts };
  }
}
