import { problemsOf, type FieldProblem } from '../skill/definition';
import { checkRelay } from './check';
import { relaySchema, type RelayDefinition } from './definition';

export type ParsedRelay =
  | { readonly ok: true; readonly relay: RelayDefinition }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** Checks a definition by itself, all problems at once. Whether its skills fit is another question: `checkSkills`. */
export function parseRelay(value: unknown): ParsedRelay {
  const parsed = relaySchema.safeParse(value);
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap(problemsOf) };
  const problems = checkRelay(parsed.data);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, relay: parsed.data };
}
