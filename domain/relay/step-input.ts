import { utf8 } from '../hash';
import { canonicalJson } from '../json';
import type { Json, JsonObject } from '../json-value';
import type { RelayDefinition } from './definition';
import type { InputMapping } from './input-value';
import { resolve, type Item } from './picks';
import type { RelayState } from './state';

/** More than that is no input but a document, and documents are handed on as artifacts. */
export const maxInputBytes = 16 * 1024;

export type MappedInput =
  { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly problem: string };

/** The values that a mapping stands for now. */
export function mapInput(relay: RelayDefinition, state: RelayState, mapping: InputMapping, item?: Item): MappedInput {
  const input: Record<string, Json> = {};
  for (const [field, wanted] of Object.entries(mapping)) {
    if ('value' in wanted) input[field] = wanted.value;
    else {
      const value = resolve(relay, state, wanted.from, item);
      if (value !== undefined) input[field] = wanted.as === 'text' ? textOf(value) : value;
      else if (wanted.optional !== true) return { ok: false, problem: `${field}: there is nothing at ${wanted.from}` };
    }
  }
  const bytes = utf8(canonicalJson(input)).length;
  if (bytes <= maxInputBytes) return { ok: true, input };
  const problem = `it has ${bytes} bytes, and at most ${maxInputBytes} are an input: hand longer texts on as artifacts`;
  return { ok: false, problem };
}

/** A text stays as it is; a list is a line for each entry; all else is JSON. */
function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? (value as readonly Json[]).map(textOf).join('\n') : JSON.stringify(value);
}
