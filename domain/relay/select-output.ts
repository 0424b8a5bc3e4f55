import type { Json } from '../kernel';
import { referencesOf } from './check-relay';
import { formatSegments, parseReference, parseSegments, type Segment, selectsList, valuesAtPath } from './references';
import type { RelayDefinition, RelayStep } from './relay-definition';
import type { RelayState, SelectedValues } from './state';
import { OutputNotLoadedError } from './stored-output';

/** Returns the paths that a relay selects from each final message of a step. Later steps get no other part of it. */
export function selectedPaths({ steps }: RelayDefinition, { name, each }: RelayStep): string[] {
  const paths = steps.flatMap(referencesOf).flatMap(({ reference }) => {
    if (reference.to !== 'step' || reference.step !== name) return [];
    // The first segment of a path into a fan-out selects among its items.
    return [formatSegments(each === undefined ? reference.path : reference.path.slice(1))];
  });
  return [...new Set(paths)];
}

/** Selects the values at the given paths from a final message. */
export function selectOutput(output: Json, paths: readonly string[]): SelectedValues {
  return Object.fromEntries(paths.map((path) => [path, valuesAtPath(output, parseSegments(path) ?? [])]));
}

/** The current item of a fan-out. Only the input of that step can refer to it. */
export interface OutputItem {
  readonly value: Json;
}

/**
 * Resolves a reference in the current state; undefined when it has no value. Throws an `OutputNotLoadedError` if the
 * value is in the store.
 */
export function resolveReference(
  relay: RelayDefinition,
  state: RelayState,
  text: string,
  item?: OutputItem,
): Json | undefined {
  const reference = parseReference(text);
  if (reference === undefined) return undefined;
  if (reference.to === 'goal') return state.goal;
  const { path } = reference;
  const found =
    reference.to === 'step'
      ? ofStep(relay, state, reference.step, path)
      : item === undefined
        ? []
        : valuesAtPath(item.value, path);
  return selectsList(path) && found !== undefined ? found : found?.[0];
}

function ofStep(
  { steps }: RelayDefinition,
  { outputs }: RelayState,
  name: string,
  path: readonly Segment[],
): readonly Json[] | undefined {
  const items = outputs[name];
  if (items === undefined) return undefined;
  if ('stored' in items) throw new OutputNotLoadedError(items.stored);
  const fansOut = steps.find((step) => step.name === name)?.each !== undefined;
  if (!fansOut) return items[0]?.[formatSegments(path)];
  const [first, ...rest] = path;
  if (first === undefined) return [items.map((item) => item['']?.[0] ?? null)];
  const chosen = typeof first === 'number' ? items.slice(first, first + 1) : items;
  return chosen.flatMap((item) => item[formatSegments(rest)] ?? []);
}
