import { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { continueRunActivity, runTurnActivity } from '../domain/agent';
import {
  checkValue,
  type ActivityContract,
  DomainError,
  firstIssue,
  InvalidInputError,
  type Redact,
  redactSecrets,
} from '../domain/kernel';
import { loadOutputActivity, storeOutputActivity } from '../domain/relay';
import {
  findWritersActivity,
  loadSessionUpdateActivity,
  loadSnapshotActivity,
  maxSessionBytes,
  saveSnapshotActivity,
  storeWritersActivity,
} from '../domain/session';
import { KeyMissingError, maxPayloadBytes, missingKeyOf, readContentActivity } from '../domain/store';
import { measurePayload } from '../store/blobs';
import { Attempt } from './attempt';
import { toFailure } from './failure';
import type { ActivityOf } from './interface';

/** Thrown when an activity's input or result is too large for workflow history. */
class PayloadTooLargeError extends DomainError {
  readonly type = 'Payload.TooLarge';

  constructor(what: string, bytes: number, limit: number) {
    super(`${what} is ${bytes} bytes; the limit for workflow history is ${limit}`, { bytes, limit });
  }
}

/**
 * Activities that pass state of a workflow that would not fit there: a whole session, once per version if it is too large
 * to be passed inline, a part of what a session's host knows, or the values of a relay's step. And the one whose purpose is
 * to pass stored contents on, page by page, and the one that returns the state of another run.
 */
const carriesState: ReadonlySet<string> = new Set(
  [
    saveSnapshotActivity,
    loadSnapshotActivity,
    loadSessionUpdateActivity,
    storeWritersActivity,
    findWritersActivity,
    storeOutputActivity,
    loadOutputActivity,
    readContentActivity,
    continueRunActivity,
  ].map(({ name }) => name),
);
const maxStatePayloadBytes = maxSessionBytes + maxPayloadBytes;

/**
 * Creates the interceptor that checks the size of every activity's input and result, converts errors to failures
 * without secrets, and decides whether they are retried. The server would reject an oversized result with a retryable
 * failure, and a paid call would be repeated forever. Here it fails without retries.
 */
export function activityBoundary(redact: Redact = redactSecrets): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const limit = carriesState.has(Context.current().info.activityType) ? maxStatePayloadBytes : maxPayloadBytes;
      const attempt = Attempt.current();
      try {
        refuseEncrypted(input.args);
        attempt.assertWithinLimit();
        const [argument] = input.args;
        refuseOversized('An argument', input.args, limit + unsavedBytes(argument));
        const result = await next(input);
        refuseOversized('The result', result, limit + unsavedBytes(result));
        return result;
      } catch (error) {
        throw attempt.conclude(error, toFailure(error, redact));
      }
    },
  };
}

/**
 * Checks an activity's input against its contract before the activity runs. A mismatch is a bug, or a workflow of
 * another version of Baton, so a retry would not help. The activity receives its input as it was sent, and not the copy
 * that the schema made: journal keys are computed from all of it.
 */
export function withCheckedInput<Contract extends ActivityContract>(
  { name, input: schema }: Contract,
  work: ActivityOf<Contract>,
): ActivityOf<Contract> {
  return async (input) => {
    const parsed = checkValue(schema, input);
    if (parsed.success) return work(input);
    const { field, reason } = firstIssue(parsed.error);
    const remedy = 'Run all workers of the task queue with the same version of Baton, then reset the run.';
    throw new InvalidInputError(`${name}: ${field}`, reason, remedy);
  };
}

/** Ends an attempt on a worker that does not have the key of the input. It is not counted, like trouble of the store. */
function refuseEncrypted(args: readonly unknown[]): void {
  for (const keyId of args.map(missingKeyOf)) if (keyId !== undefined) throw new KeyMissingError(keyId);
}

/** Returns the size of an answer that the store did not take. A turn carries it besides everything else. */
function unsavedBytes(value: unknown): number {
  const isTurn = Context.current().info.activityType === runTurnActivity.name;
  const carries = isTurn && typeof value === 'object' && value !== null && 'unsaved' in value;
  return carries ? measurePayload(value.unsaved) : 0;
}

function refuseOversized(what: string, value: unknown, limit: number): void {
  const bytes = measurePayload(value);
  if (bytes > limit) throw new PayloadTooLargeError(what, bytes, limit);
}
