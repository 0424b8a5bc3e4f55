import { utf8 } from '../hash';
import { canonicalJson } from '../json';
import type { Json } from '../json-value';
import { isWellFormed } from '../prompt/bytes';
import { cutText } from './cut-text';
import { EventFailedError, type EventFailure } from './errors';
import { maxEventBytes } from './limits';
import { isLoopEvent } from './loop-events';
import { NotPlainError, plainRecord } from './plain-json';
import type { Listener, SessionSchema } from './schema';
import type { SessionEvent } from './session';
import { violationOf } from './validate';

const shownTypeLength = 100;

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
  const { type: wholeType, value } = plainEvent(event);
  const type = cutText(wholeType, shownTypeLength);
  const bytes = utf8(canonicalJson({ type: wholeType, value })).length;
  if (bytes > maxEventBytes) {
    const reason = `${bytes} bytes, more than the ${maxEventBytes} an event may have: put large values into the store`;
    throw failed({ type: 'Session.EventTooLarge', event: type, message: `Event "${type}" has ${reason}` });
  }
  const listeners = schema.listeners(type);
  if (listeners.length === 0 && !isLoopEvent(type)) {
    throw failed({ type: 'Session.UnknownEvent', event: type, message: `No slice listens to "${type}"` });
  }
  for (const { slice, handler } of listeners) {
    const violation = violationOf(handler.value ?? slice.record, value);
    if (violation !== undefined) throw invalidValue(type, violation.field, violation.reason, slice.name);
  }
  return { type, value, listeners };
}

export function invalidValue(event: string, field: string, reason: string, slice?: string): EventFailedError {
  const message = `Event "${event}", ${field}: ${reason}`;
  return failed({ type: 'Session.InvalidValue', event, field, message, ...(slice === undefined ? {} : { slice }) });
}

/** Events come from tools and from other workflows, so their types are not taken on trust. */
function plainEvent(event: unknown): { readonly type: string; readonly value: Json } {
  try {
    const { type, value } = plainRecord(event);
    if (typeof type !== 'string') throw invalidValue('unknown', 'type', 'must be a text');
    if (value === undefined) throw invalidValue(cutText(type, shownTypeLength), 'value', 'missing');
    return { type, value };
  } catch (error) {
    if (error instanceof NotPlainError)
      throw invalidValue(typeOf(event), error.field.replace(/^value\./, ''), error.reason);
    throw error;
  }
}

function typeOf(event: unknown): string {
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
  return typeof type === 'string' && isWellFormed(type) ? cutText(type, shownTypeLength) : 'unknown';
}

function failed(failure: EventFailure): EventFailedError {
  return new EventFailedError(failure);
}
