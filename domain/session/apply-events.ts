import { type Json, type JsonObject, truncateText } from '../kernel';
import type { SessionEvent } from '../tool';
import { continuationOf, freezeList, type Continuation, type Records, schemaViolation } from './frozen-records';
import { maxSessionBytes, NotPlainJsonError, plainRecord } from './plain-json';
import {
  type EventResult,
  frozenSession,
  measureSession,
  recordsOfSlice,
  type Session,
  toFrozenSession,
} from './session';
import { EventFailedError, RefusedEventError } from './session-errors';
import type { Listener, SessionSchema } from './session-schema';
import type { ReducerContext } from './slice';
import { invalidValue, type ValidatedEvent, validateEvent } from './validate-event';

/** A session after events were applied, and their results. */
export interface AppliedEvents {
  readonly session: Session;
  /** One result per event, in the same order. */
  readonly results: readonly EventResult[];
}

/**
 * Applies events one after the other. An event changes all slices that handle it or none. A failed event changes
 * nothing, and the next one is still applied. Never throws because of an event, which in a workflow would block the
 * session forever.
 */
export function applyEvents(schema: SessionSchema, session: Session, events: readonly SessionEvent[]): AppliedEvents {
  let current = toFrozenSession(session);
  const results = events.map((event): EventResult => {
    try {
      const prepared = validateEvent(schema, event);
      if (prepared.listeners.length === 0) return { status: 'ignored' };
      current = applyEvent(current, prepared);
      return { status: 'applied', version: current.version };
    } catch (error) {
      if (error instanceof EventFailedError) return { status: 'failed', failure: error.failure };
      throw error;
    }
  });
  return { session: current, results };
}

function applyEvent(session: Session, { type, value, listeners }: ValidatedEvent): Session {
  const version = session.version + 1;
  const slices = { ...session.slices };
  for (const { slice, handler } of listeners) {
    const before = recordsOfSlice(session, slice.name);
    slices[slice.name] = reduceSlice({ slice, handler, value, context: { type, version } }, before);
  }
  const next = frozenSession({ version, slices });
  const { bytes, largest } = measureSession(next);
  if (bytes > maxSessionBytes) throw tooLarge(type, bytes, largest);
  return next;
}

function tooLarge(event: string, bytes: number, slice: string): EventFailedError {
  const message =
    `Event "${event}" would make the session ${bytes} bytes; the limit is ${maxSessionBytes}. ` +
    `Most of it is in slice "${slice}".`;
  return new EventFailedError({ type: 'Session.TooLarge', event, slice, message });
}

/** One event to be handled by one slice. */
interface Step extends Listener {
  readonly value: Json;
  readonly context: ReducerContext;
}

const maxReasonLength = 300;

/** Returns the records of the slice after the event. Returns the original list if the event changes nothing. */
function reduceSlice(step: Step, before: Records): Records {
  const returned = guarded(step, () => {
    requireExpected(step, before);
    return step.handler.reduce(before as readonly never[], step.value as never, step.context);
  });
  if (!Array.isArray(returned)) throw reducerFailed(step, 'it did not return a list of records');
  const since = continuationOf(before, returned);
  const after = admitted(step, since, returned);
  if (step.slice.conflict === 'append' && !onlyAdds(since, after)) {
    throw reducerFailed(step, 'it changed existing records, but the slice only appends');
  }
  const isUnchanged = since.kept === before.length && after.length === before.length;
  return isUnchanged ? before : freezeList(after, since);
}

/** Runs code of the slice's author. Everything it throws becomes the failure of this event. */
function guarded<T>(step: Step, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof EventFailedError) throw error;
    if (error instanceof RefusedEventError) {
      throw invalidValue(step.context.type, error.field, error.reason, step.slice.name);
    }
    throw reducerFailed(step, error instanceof Error ? error.message : String(error));
  }
}

function requireExpected({ slice, handler, value, context }: Step, before: Records): void {
  if (slice.compare === undefined || handler.expects === undefined) return;
  const { key, token, absent = 'expectNull' } = slice.compare;
  const expected = handler.expects(value as never);
  const current = before.find((record) => key(record as never) === expected.key);
  if (current === undefined && absent === 'acceptAny') return;
  if (expected.token === (current === undefined ? null : token(current as never))) return;
  const message =
    `Event "${context.type}": "${expected.key}" has changed since this change was prepared. ` +
    'Look at the current record and decide again.';
  const facts = { event: context.type, slice: slice.name, current: current ?? null };
  throw new EventFailedError({ type: 'Session.Conflict', message, ...facts });
}

/** Copies, freezes and checks every record that is new. Existing records were checked before and are used unchanged. */
function admitted(step: Step, { before, kept }: Continuation, returned: readonly unknown[]): JsonObject[] {
  // If the handler has no value schema of its own, the value has just been checked against the record schema.
  const isChecked = step.handler.value === undefined;
  let known: ReadonlySet<unknown> | undefined;
  return returned.map((record, index) => {
    if (index < kept || (isChecked && record === step.value)) return record as JsonObject;
    known ??= new Set(before);
    if (known.has(record)) return record as JsonObject;
    const copy = plainOrFailed(step, record, index);
    const violation = schemaViolation(step.slice.record, copy);
    if (violation === undefined) return copy;
    throw reducerFailed(step, `it returned an invalid record: ${violation.reason}`, `${index}.${violation.field}`);
  });
}

function plainOrFailed(step: Step, record: unknown, index: number): JsonObject {
  try {
    return plainRecord(record, [String(index)]);
  } catch (error) {
    if (error instanceof NotPlainJsonError)
      throw reducerFailed(step, `it returned an invalid record: ${error.reason}`, error.field);
    throw error;
  }
}

/**
 * Returns true if new records were only added at the end. The oldest may be dropped, so that a slice can limit its
 * size.
 */
function onlyAdds({ before, dropped, kept }: Continuation, after: Records): boolean {
  if (kept < before.length - dropped && kept > 0) return false;
  const added = after.slice(kept);
  return added.length === 0 || !added.some((record) => before.includes(record));
}

function reducerFailed({ slice, context }: Step, reason: string, field?: string): EventFailedError {
  const message = `Slice "${slice.name}" failed to handle event "${context.type}": ${truncateText(reason, maxReasonLength)}`;
  const facts = { event: context.type, slice: slice.name, ...(field === undefined ? {} : { field }) };
  return new EventFailedError({ type: 'Session.ReducerFailed', message, ...facts });
}
