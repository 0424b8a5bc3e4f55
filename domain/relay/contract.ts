import type { z } from 'zod';
import { runInputSchema, type RunResult } from '../agent';
import { firstIssue, formatFieldPath, InvalidInputError } from '../kernel';
import { parseRelay } from './check-relay';
import { relaySchema } from './relay-definition';

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

/** Result of a completed relay. Its answer is the final message of the last step. */
export interface RelayResult extends RunResult {
  readonly relay: string;
  /** For each step, the number of rounds and the number of items in the last round. */
  readonly steps: readonly { readonly name: string; readonly rounds: number; readonly items: number }[];
}
