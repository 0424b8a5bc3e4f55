import { utf8 } from '../hash';
import { canonicalJson } from '../json';
import type { Json } from '../json-value';
import { EventFailedError, type EventFailure } from './errors';
import { maxEventBytes } from './limits';
import { isLoopEvent } from './loop-events';
import { NotPlainError, plainCopy } from './plain-json';
import type { Listener, SessionSchema } from './schema';
import type { SessionEvent } from './session';
import { violationOf } from './validate';

/** An event whose form is right: all that is left to ask is whether it fits the session. */
export interface PreparedEvent {
  readonly type: string;
  /** A frozen copy. */
  readonly value: Json;
  /** None for an event of the agent loop that nobody listens to. */
  readonly listeners: readonly Listener[];
}

/**
 * What is wrong with an event, as far as that can be said without a session; undefined if nothing is. Activities ask
 * before they return events, so that a mistake is found where it was made.
 */
export function checkEvent(schema: SessionSchema, event: SessionEvent): EventFailure | undefined {
  try {
    prepareEvent(schema, event);
    return undefined;
  } catch (error) {
    if (error instanceof EventFailedError) return error.failure;
    throw error;
  }
}

export function prepareEvent(schema: SessionSchema, event: SessionEvent): PreparedEvent {
  const type = typeof event.type === 'string' ? event.type.slice(0, 100) : String(event.type);
  const value = plainValue(type, event.value);
  const bytes = utf8(canonicalJson({ type: event.type, value })).length;
  if (bytes > maxEventBytes) {
    const reason = `${bytes} bytes, more than the ${maxEventBytes} an event may have: put large values into the store`;
    throw failed({ type: 'Session.EventTooLarge', event: type, message: `Event "${type}" has ${reason}` });
  }
  const listeners = schema.listeners(event.type);
  if (listeners.length === 0 && !isLoopEvent(event.type)) {
    throw failed({ type: 'Session.UnknownEvent', event: type, message: `No slice listens to "${type}"` });
  }
  for (const { slice, handler } of listeners) {
    const violation = violationOf(handler.value ?? slice.record, value);
    if (violation !== undefined) throw invalidValue(type, violation.field, violation.reason, slice.name);
  }
  return { type: event.type, value, listeners };
}

export function invalidValue(event: string, field: string, reason: string, slice?: string): EventFailedError {
  const message = `Event "${event}", ${field}: ${reason}`;
  return failed({ type: 'Session.InvalidValue', event, field, message, ...(slice === undefined ? {} : { slice }) });
}

function plainValue(type: string, value: unknown): Json {
  try {
    return plainCopy(value);
  } catch (error) {
    if (error instanceof NotPlainError) throw invalidValue(type, error.field, error.reason);
    throw error;
  }
}

function failed(failure: EventFailure): EventFailedError {
  return new EventFailedError(failure);
}
