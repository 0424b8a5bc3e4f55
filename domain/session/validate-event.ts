import { isWellFormedUnicode, type Json, truncateText, utf8 } from '../kernel';
import { schemaViolation } from './frozen-records';
import { maxEventBytes, NotPlainJsonError, plainRecord } from './plain-json';
import type { SessionEvent } from '../tool';
import { EventFailedError, type EventFailure } from './session-errors';
import type { Listener, SessionSchema } from './session-schema';

const shownTypeLength = 100;

/** An event whose type, size and schema have been checked. It may still be refused when it is applied to a session. */
export interface ValidatedEvent {
  readonly type: string;
  /** A frozen copy of the event's value. */
  readonly value: Json;
  /** The slices that handle the event. Empty only for an event of the agent loop that no slice handles. */
  readonly listeners: readonly Listener[];
}

/** Validates an event without a session. Throws an `EventFailedError` if it is too large, unknown or invalid. */
export function validateEvent(schema: SessionSchema, event: SessionEvent): ValidatedEvent {
  const { type: wholeType, value } = plainEvent(event);
  const type = truncateText(wholeType, shownTypeLength);
  const bytes = utf8(JSON.stringify({ type: wholeType, value })).length;
  if (bytes > maxEventBytes) {
    const limit = `the limit for an event is ${maxEventBytes}. Put large values into the store.`;
    throw failed({
      type: 'Session.EventTooLarge',
      event: type,
      message: `Event "${type}" is ${bytes} bytes; ${limit}`,
    });
  }
  const listeners = schema.listeners(type);
  if (listeners.length === 0 && !isLoopEvent(type)) {
    throw failed({ type: 'Session.UnknownEvent', event: type, message: `No slice handles "${type}" events` });
  }
  const passed = new Set<unknown>();
  for (const { slice, handler } of listeners) {
    const expected = handler.value ?? slice.record;
    // Slices that handle the same event often have the same schema for it.
    if (passed.has(expected)) continue;
    const violation = schemaViolation(expected, value);
    if (violation !== undefined) throw invalidValue(type, violation.field, violation.reason, slice.name);
    passed.add(expected);
  }
  return { type, value, listeners };
}

/** Builds the error for an event value that a slice does not accept. */
export function invalidValue(event: string, field: string, reason: string, slice?: string): EventFailedError {
  const message = `Event "${event}", ${field}: ${reason}`;
  return failed({ type: 'Session.InvalidValue', event, field, message, ...(slice === undefined ? {} : { slice }) });
}

/**
 * Copies an event as plain JSON. Events come from tools and other workflows, so their static types can't be trusted.
 */
function plainEvent(event: unknown): { readonly type: string; readonly value: Json } {
  try {
    const { type, value } = plainRecord(event);
    if (typeof type !== 'string') throw invalidValue('unknown', 'type', 'must be a string');
    if (value === undefined) throw invalidValue(truncateText(type, shownTypeLength), 'value', 'missing');
    return { type, value };
  } catch (error) {
    if (error instanceof NotPlainJsonError)
      throw invalidValue(typeOf(event), error.field.replace(/^value\./, ''), error.reason);
    throw error;
  }
}

function typeOf(event: unknown): string {
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
  return typeof type === 'string' && isWellFormedUnicode(type) ? truncateText(type, shownTypeLength) : 'unknown';
}

function failed(failure: EventFailure): EventFailedError {
  return new EventFailedError(failure);
}

/**
 * Events that the agent loop itself sends. Slices may handle them; if no slice does, the event is ignored and does not
 * fail.
 */
const loopEvents = ['toolInvoked', 'promptRendered', 'delegationStarted', 'delegationEnded'] as const;
/** Type of an event that the agent loop sends. */
export type LoopEvent = (typeof loopEvents)[number];

/** Returns true for an event type that the agent loop sends. */
export function isLoopEvent(type: string): type is LoopEvent {
  return (loopEvents as readonly string[]).includes(type);
}
