import { SliceDefinitionError } from './errors';
import { definitionOf, fingerprintOf } from './fingerprint';
import type { ErasedHandler, Slice } from './slice';

export interface Listener {
  readonly slice: Slice;
  readonly handler: ErasedHandler;
}

/** Which slices sessions have. Two schemas with the same fingerprint can exchange snapshots. */
export interface SessionSchema {
  /** By name, so that nothing depends on the order of registration. */
  readonly slices: readonly Slice[];
  readonly fingerprint: string;
  /** Per slice, a short digest of everything that goes into the fingerprint. */
  readonly definitions: Readonly<Record<string, string>>;
  listeners(eventType: string): readonly Listener[];
}

export function createSessionSchema(slices: readonly Slice[]): SessionSchema {
  const sorted = [...slices].sort((a, b) => (a.name < b.name ? -1 : 1));
  const twice = sorted.find(({ name }, index) => sorted[index + 1]?.name === name);
  if (twice !== undefined) throw new SliceDefinitionError(twice.name, 'there are two slices with this name');
  const definitions = Object.fromEntries(sorted.map((slice) => [slice.name, definitionOf(slice)]));
  const listeners = listenersByType(sorted);
  return Object.freeze({
    slices: Object.freeze(sorted),
    fingerprint: fingerprintOf(definitions),
    definitions: Object.freeze(definitions),
    listeners: (eventType: string) => listeners.get(eventType) ?? [],
  });
}

function listenersByType(slices: readonly Slice[]): ReadonlyMap<string, readonly Listener[]> {
  const byType = new Map<string, Listener[]>();
  for (const slice of slices) {
    for (const [type, handler] of Object.entries(slice.on)) {
      byType.set(type, [...(byType.get(type) ?? []), { slice, handler }]);
    }
  }
  return byType;
}
