import { ApplicationFailure } from '@temporalio/common';
import type { TurnFailure } from '../../../domain/agent';
import { type JsonObject, type Redact, redactSecrets } from '../../../domain/kernel';
import { isStoreTrouble } from '../../../domain/store';
import { Attempt } from '../../attempt';
import { toFailure } from '../../failure';

/** Maximum characters of the facts, as JSON. The turns before are worth more than they are. */
const maxFacts = 4_000;

/** Describes an error that ends a turn for good; undefined if another attempt at the activity follows. */
export function finalFailure(error: unknown, redact: Redact = redactSecrets): TurnFailure | undefined {
  const failure = toFailure(error, redact);
  if (!(failure instanceof ApplicationFailure) || isStoreTrouble(error)) return undefined;
  const { type, message, details, nonRetryable } = failure;
  if (nonRetryable !== true && !Attempt.current().isLast) return undefined;
  const [facts] = details ?? [];
  return { ...(typeof type === 'string' ? { type } : {}), message, ...(isShort(facts) ? { facts } : {}) };
}

/** Whether the first detail of a failure is an object of JSON, as `toFailure` left it, that may be recorded. */
function isShort(facts: unknown): facts is JsonObject {
  return (
    typeof facts === 'object' && facts !== null && !Array.isArray(facts) && JSON.stringify(facts).length <= maxFacts
  );
}
