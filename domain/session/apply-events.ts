import { EventFailedError } from './session-errors';
import { maxSessionBytes } from './limits';
import { validateEvent, type ValidatedEvent } from './validate-event';
import { reduceSlice } from './reduce-slice';
import type { SessionSchema } from './session-schema';
import {
  measureSession,
  toFrozenSession,
  recordsOfSlice,
  type EventResult,
  type Session,
  type SessionEvent,
} from './session';

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
  const next = { version, slices };
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
