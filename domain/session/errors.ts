import { DomainError } from '../errors';
import type { FailureType } from '../failure-types';
import type { JsonObject } from '../json-value';

export type EventFailureType = Extract<
  FailureType,
  | 'Session.UnknownEvent'
  | 'Session.InvalidValue'
  | 'Session.EventTooLarge'
  | 'Session.ReducerFailed'
  | 'Session.TooLarge'
  | 'Session.Conflict'
>;

/** Why one event was not applied, as plain data: it travels to other workflows and, as a tool error, to the model. */
export interface EventFailure {
  readonly type: EventFailureType;
  readonly message: string;
  /** The type of the event. */
  readonly event: string;
  readonly slice?: string;
  readonly field?: string;
  /** After a lost compare-and-set: the record as it is now, null when there is none. */
  readonly current?: JsonObject | null;
}

/** Carries an `EventFailure` to the place where it becomes the result of the event. */
export class EventFailedError extends DomainError {
  readonly type: EventFailureType;

  constructor(readonly failure: EventFailure) {
    super(failure.message, { ...failure });
    this.type = failure.type;
  }
}

/** For reducers: the event has the right form, but makes no sense in this session. */
export class RefusedEventError extends DomainError {
  readonly type = 'Session.InvalidValue';

  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`${field}: ${reason}`, { field, reason });
  }
}

export class SliceDefinitionError extends DomainError {
  readonly type = 'Session.InvalidDefinition';

  constructor(
    readonly slice: string,
    readonly reason: string,
  ) {
    super(`Slice "${slice}": ${reason}`, { slice, reason });
  }
}

export class SnapshotIncompatibleError extends DomainError {
  readonly type = 'Session.SnapshotIncompatible';

  constructor(
    /** Null when the snapshot as a whole is to blame. */
    readonly slice: string | null,
    readonly field: string,
    readonly reason: string,
  ) {
    const where = slice === null ? field : `slice "${slice}", ${field}`;
    super(`The snapshot does not fit this session: ${where}: ${reason}`, { slice, field, reason });
  }
}

export class DeltaMismatchError extends DomainError {
  readonly type = 'Session.DeltaMismatch';

  constructor(expected: number, found: number) {
    super(`The changes start from version ${expected} of the session, but this is version ${found}`, {
      expected,
      found,
    });
  }
}
