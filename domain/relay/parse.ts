import { utf8 } from '../hash';
import { canonicalJson } from '../json';
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
  const problems = [...sizeProblems(parsed.data), ...checkRelay(parsed.data)];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, relay: parsed.data };
}

/** It is handed to an activity beside the goal, and both must fit. */
const maxRelayBytes = 12 * 1024;

function sizeProblems(relay: RelayDefinition): FieldProblem[] {
  const bytes = utf8(canonicalJson(relay)).length;
  return bytes <= maxRelayBytes
    ? []
    : [{ path: [], message: `is too large: ${bytes} bytes as JSON, at most ${maxRelayBytes}` }];
}
