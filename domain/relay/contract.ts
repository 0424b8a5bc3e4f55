import { z } from 'zod';
import { type ResumedAgent, runInputSchema, runResultSchema } from '../agent';
import { firstIssue, formatFieldPath, InvalidInputError, uncheckedObject } from '../kernel';
import type { SpilledText } from '../store';
import { parseRelay } from './check-relay';
import { relaySchema } from './relay-definition';
import type { RelayState } from './state';

/** Input of a relay: that of a run, plus the whole definition, so that later changes of its file have no effect. */
const relayInputSchema = runInputSchema.extend({ relay: relaySchema });
/** Input of a relay: that of a run, plus the relay's definition. `parseRelayInput` checks it. */
export type RelayInput = z.infer<typeof relayInputSchema>;

/** Checks a relay's input. Throws an `InvalidInputError` that names the first invalid field. */
export function parseRelayInput(value: unknown): RelayInput {
  const parsed = relayInputSchema.safeParse(value);
  if (!parsed.success) {
    const { path, reason } = firstIssue(parsed.error);
    throw wrong(formatFieldPath(path) || 'input', reason);
  }
  const relay = parseRelay(parsed.data.relay);
  if (relay.ok) return parsed.data;
  const problem = relay.problems[0];
  throw wrong(formatFieldPath(['relay', ...(problem?.path ?? [])]), problem?.message ?? 'is invalid');
}

function wrong(field: string, reason: string): InvalidInputError {
  return new InvalidInputError(field, reason, 'Correct this field and start the relay again.');
}

/** Progress of a relay, apart from the session of its root. */
export interface RelayProgress {
  state: RelayState;
  /** Final message of the last item that ended. */
  answer: SpilledText;
}

/** A relay's input and, after continue-as-new, its progress. */
export type RelayStart = RelayInput & { readonly resume?: ResumedAgent; readonly reached?: RelayProgress };

const uncheckedRelayStart = uncheckedObject<RelayStart>();

/**
 * Reads the start argument of a relay's workflow, like `readRunStart` does for a run. An invalid input fails in the
 * activity `openRelay`.
 */
export function readRelayStart(start: unknown): RelayStart {
  return uncheckedRelayStart.parse(Object(start));
}

/** Result of a completed relay. Its answer is the final message of the last step. */
export const relayResultSchema = runResultSchema.extend({
  relay: z.string(),
  /** For each step, the number of rounds and the number of items in the last round. */
  steps: z
    .array(z.object({ name: z.string(), rounds: z.int().nonnegative(), items: z.int().nonnegative() }))
    .readonly(),
});
export type RelayResult = Readonly<z.infer<typeof relayResultSchema>>;
