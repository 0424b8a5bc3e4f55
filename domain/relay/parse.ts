import { utf8 } from '../kernel/hash';
import { canonicalJson } from '../kernel/canonical-json';
import { fieldProblems, type FieldProblem } from '../skill/skill-definition';
import { checkRelay } from './check-relay';
import { relaySchema, type RelayDefinition } from './relay-definition';

/** A valid definition, or all problems found in it. */
export type ParsedRelay =
  | { readonly ok: true; readonly relay: RelayDefinition }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** Checks a definition and returns all problems at once. `checkRelaySkills` checks it against the skills of its steps. */
export function parseRelay(value: unknown): ParsedRelay {
  const parsed = relaySchema.safeParse(value);
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap(fieldProblems) };
  const problems = [...sizeProblems(parsed.data), ...checkRelay(parsed.data)];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, relay: parsed.data };
}

/** Maximum bytes of a definition. It is passed to an activity together with the goal, and both must fit. */
const maxRelayBytes = 12 * 1024;

function sizeProblems(relay: RelayDefinition): FieldProblem[] {
  const bytes = utf8(canonicalJson(relay)).length;
  return bytes <= maxRelayBytes
    ? []
    : [{ path: [], message: `is ${bytes} bytes as JSON; the limit is ${maxRelayBytes}` }];
}
