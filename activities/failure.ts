import { CompleteAsyncError } from '@temporalio/activity';
import {
  ApplicationFailure,
  type ApplicationFailureOptions,
  CancelledFailure,
  TemporalFailure,
} from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { DomainError, failureTypes, type Redact, toWellFormedUnicode } from '../domain/kernel';
import { maxPayloadBytes } from '../domain/store';
import { measurePayload } from '../store/blobs';

/** Longest delay before the next attempt that a failure may request, in milliseconds: one hour. */
export const maxRetryDelayMs = 60 * 60 * 1_000;

/** Longest message or stack that is recorded in history. */
const maxTextLength = 8_000;
/** Texts are shortened to this before the search for secrets, and to the final length after it: none is cut in half. */
const maxSearchedLength = 4 * maxTextLength;
/** Causes below this level are dropped. A chain may be endless. */
const maxCauses = 8;

/**
 * Converts whatever an activity threw to a failure that can be recorded: of its documented type if it has one, without
 * secrets, and within the limits of history. The SDK encodes the failure where nothing catches an error, so one that
 * cannot be encoded would end the worker process.
 */
export function toFailure(error: unknown, redact: Redact): unknown {
  if (isSignalToSdk(error)) return error;
  try {
    return error instanceof DomainError ? fromDomainError(error, redact) : recordable(error, redact, maxCauses);
  } catch (problem) {
    // For example an error whose message is a getter that throws.
    const reason = problem instanceof Error ? problem.message : 'it cannot be read';
    return ApplicationFailure.retryable(`An error occurred that cannot be recorded: ${shorten(reason, redact)}`);
  }
}

/** Errors that tell the SDK something and have no content of their own. */
function isSignalToSdk(error: unknown): boolean {
  if (error instanceof CompleteAsyncError || error instanceof CancelledFailure) return true;
  return error instanceof Error && error.name === 'AbortError';
}

function fromDomainError(error: DomainError, redact: Redact): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.type,
    message: shorten(error.message, redact),
    nonRetryable: !failureTypes[error.type].retryable,
    details: recordableDetails([error.facts], redact),
  });
}

/**
 * Copies an error. One that is not a failure is a bug, and keeps its stack for the Web UI. Failures of other kinds come
 * from the server, which has recorded them already.
 */
function recordable(error: unknown, redact: Redact, causes: number): TemporalFailure {
  if (!(error instanceof Error)) return ApplicationFailure.retryable(shorten(String(error), redact));
  if (error instanceof TemporalFailure && !(error instanceof ApplicationFailure)) return error;
  const cause = error.cause === undefined || causes === 0 ? {} : { cause: recordable(error.cause, redact, causes - 1) };
  const common = { message: shorten(error.message, redact), ...cause };
  const copy = ApplicationFailure.create(
    error instanceof ApplicationFailure
      ? { ...common, ...optionsOf(error, redact) }
      : { ...common, type: shorten(error.name, redact) },
  );
  copy.stack = shorten(error.stack, redact);
  return copy;
}

function optionsOf(error: ApplicationFailure, redact: Redact): ApplicationFailureOptions {
  const { type, nonRetryable, details, category } = error;
  const delay = recordableDelay(error.nextRetryDelay);
  return {
    ...(type === undefined || type === null ? {} : { type: shorten(type, redact) }),
    nonRetryable: nonRetryable ?? false,
    details: recordableDetails(details ?? [], redact),
    ...(delay === undefined ? {} : { nextRetryDelay: delay }),
    ...(category === undefined || category === null ? {} : { category }),
  };
}

/** Leaves out a delay that the server would take for "no further attempt", and shortens one that is too long. */
function recordableDelay(delay: ApplicationFailure['nextRetryDelay']): number | undefined {
  const wanted = delay === undefined || delay === null ? 0 : msToNumber(delay);
  return wanted >= 1 ? Math.min(Math.ceil(wanted), maxRetryDelayMs) : undefined;
}

/** Copies details as plain JSON. What cannot be recorded is left out, because the message says what happened. */
function recordableDetails(details: readonly unknown[], redact: Redact): unknown[] {
  try {
    const text = JSON.stringify(details, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value));
    const copy: unknown = JSON.parse(text);
    return Array.isArray(copy) && measurePayload(copy) <= maxPayloadBytes ? copy : [];
  } catch {
    return [];
  }
}

function shorten(given: string | undefined, redact: Redact): string {
  // The value may be of any type, whatever its declaration says.
  const text = toWellFormedUnicode(redact((given ?? '').slice(0, maxSearchedLength)));
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`;
}
