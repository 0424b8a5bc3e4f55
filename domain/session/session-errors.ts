import { DomainError, type FailureType, type JsonObject } from '../kernel';

/** Failure types of a single event. */
export type EventFailureType = Extract<
  FailureType,
  | 'Session.UnknownEvent'
  | 'Session.InvalidValue'
  | 'Session.EventTooLarge'
  | 'Session.ReducerFailed'
  | 'Session.TooLarge'
  | 'Session.Conflict'
>;

/**
 * The reason why an event was not applied. Plain data, because it is sent to other workflows and, as a tool error, to
 * the model.
 */
export interface EventFailure {
  readonly type: EventFailureType;
  readonly message: string;
  /** Type of the event. */
  readonly event: string;
  readonly slice?: string;
  readonly field?: string;
  /** Current record after a compare-and-set conflict; null when there is none. Omitted for other failures. */
  readonly current?: JsonObject | null;
}

/** Thrown inside this module to abort an event. `applyEvents` turns it into the result of the event. */
export class EventFailedError extends DomainError {
  readonly type: EventFailureType;

  constructor(readonly failure: EventFailure) {
    super(failure.message, { ...failure });
    this.type = failure.type;
  }
}

/**
 * Thrown by a slice's reducer to refuse an event that matches its schema but is not valid in this session. The event
 * fails with `Session.InvalidValue`; the tool that sent it sees `field` and `reason`.
 */
export class RefusedEventError extends DomainError {
  readonly type = 'Session.InvalidValue';

  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`${field}: ${reason}`, { field, reason });
  }
}

/** A slice is defined incorrectly. Thrown when the slice or the session schema is created. */
export class SliceDefinitionError extends DomainError {
  readonly type = 'Session.InvalidDefinition';

  constructor(
    readonly slice: string,
    readonly reason: string,
  ) {
    super(`Slice "${slice}": ${reason}`, { slice, reason });
  }
}

/** A session snapshot does not match the session schema, or is damaged. */
export class SnapshotIncompatibleError extends DomainError {
  readonly type = 'Session.SnapshotIncompatible';

  constructor(
    /** Null when the problem is not in a single slice. */
    readonly slice: string | null,
    readonly field: string,
    readonly reason: string,
  ) {
    const where = slice === null ? field : `slice "${slice}", ${field}`;
    super(`The session snapshot is not compatible: ${where}: ${reason}`, { slice, field, reason });
  }
}

/**
 * A session has records of a slice that this worker does not have. Another worker may: an older worker receives such a
 * session while a new slice is rolled out.
 */
export class UnknownSliceError extends SnapshotIncompatibleError {
  constructor(slice: string) {
    super(
      slice,
      'slices',
      'this worker has no such slice. A worker that has it can continue: its workflow entry passes the slice to createWorkflows',
    );
  }
}

/** A delta was applied to a version of the session that it does not start from. */
export class DeltaMismatchError extends DomainError {
  readonly type = 'Session.DeltaMismatch';

  constructor(expected: number, found: number) {
    super(`The delta starts from version ${expected} of the session, but the session is at version ${found}`, {
      expected,
      found,
    });
  }
}
