import { utf8 } from '../kernel/hash';
import { canonicalJson } from '../kernel/canonical-json';
import type { Json, JsonObject } from '../kernel/json-value';
import type { RelayDefinition } from './relay-definition';
import type { InputMapping } from './input-value';
import { resolveReference, type OutputItem } from './select-output';
import type { RelayState } from './state';

/** Maximum bytes of a step's input. Longer texts are passed on as artifacts. */
export const maxInputBytes = 16 * 1024;

/** The input of a step, or the reason why it could not be built. */
export type MappedInput =
  { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly problem: string };

/** Builds an input: resolves every reference of a mapping in the current state. */
export function buildStepInput(
  relay: RelayDefinition,
  state: RelayState,
  mapping: InputMapping,
  item?: OutputItem,
): MappedInput {
  const input: Record<string, Json> = {};
  for (const [field, wanted] of Object.entries(mapping)) {
    if ('value' in wanted) input[field] = wanted.value;
    else {
      const value = resolveReference(relay, state, wanted.from, item);
      if (value !== undefined) input[field] = wanted.as === 'text' ? textOf(value) : value;
      else if (wanted.optional !== true) return { ok: false, problem: `${field}: ${wanted.from} has no value` };
    }
  }
  const bytes = utf8(canonicalJson(input)).length;
  if (bytes <= maxInputBytes) return { ok: true, input };
  const problem = `it is ${bytes} bytes; the limit is ${maxInputBytes}. Pass longer texts as artifacts`;
  return { ok: false, problem };
}

/** Converts a value to text. Strings are unchanged, a list becomes one line per entry, other values become JSON. */
function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? (value as readonly Json[]).map(textOf).join('\n') : JSON.stringify(value);
}
