import type { z } from 'zod';
import { InvalidInputError } from '../kernel/errors';
import { runInputSchema } from '../agent/contract';
import { firstIssue } from '../kernel/schema-issues';
import { formatFieldPath } from '../skill/loaded-skill';
import { relaySchema } from './relay-definition';
import { parseRelay } from './parse';

/** Input of a relay: that of a run, plus the whole definition, so that later changes of its file have no effect. */
export const relayInputSchema = runInputSchema.extend({ relay: relaySchema });
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
