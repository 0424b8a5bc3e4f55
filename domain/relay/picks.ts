import type { Json } from '../json-value';
import { referencesOf } from './check';
import type { RelayDefinition, RelayStep } from './definition';
import { isPlural, matches, parseSegments, showSegments, type Segment } from './path';
import { parseReference } from './reference';
import type { PickedValues, RelayState } from './state';

/** The paths that a relay follows into each final message of a step: all else of it goes no further. */
export function wantedPaths({ steps }: RelayDefinition, { name, each }: RelayStep): string[] {
  const wanted = steps.flatMap(referencesOf).flatMap(({ reference }) => {
    if (reference.to !== 'step' || reference.step !== name) return [];
    // The first segment of a fan-out's path chooses among its items.
    return [showSegments(each === undefined ? reference.path : reference.path.slice(1))];
  });
  return [...new Set(wanted)];
}

export function pick(output: Json, paths: readonly string[]): PickedValues {
  return Object.fromEntries(paths.map((path) => [path, matches(output, parseSegments(path) ?? [])]));
}

/** The item of a fan-out, in the input of its step. */
export interface Item {
  readonly value: Json;
}

/** What a reference stands for now; undefined when there is nothing. */
export function resolve(relay: RelayDefinition, state: RelayState, text: string, item?: Item): Json | undefined {
  const reference = parseReference(text);
  if (reference === undefined) return undefined;
  if (reference.to === 'goal') return state.goal;
  const { path } = reference;
  const found =
    reference.to === 'step'
      ? ofStep(relay, state, reference.step, path)
      : item === undefined
        ? []
        : matches(item.value, path);
  return isPlural(path) && found !== undefined ? found : found?.[0];
}

function ofStep(
  { steps }: RelayDefinition,
  { outputs }: RelayState,
  name: string,
  path: readonly Segment[],
): readonly Json[] | undefined {
  const items = outputs[name];
  if (items === undefined) return undefined;
  const fansOut = steps.find((step) => step.name === name)?.each !== undefined;
  if (!fansOut) return items[0]?.[showSegments(path)];
  const [first, ...rest] = path;
  if (first === undefined) return [items.map((item) => item['']?.[0] ?? null)];
  const chosen = typeof first === 'number' ? items.slice(first, first + 1) : items;
  return chosen.flatMap((item) => item[showSegments(rest)] ?? []);
}
