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
  /** Reading it also checks that all records are plain JSON. */
  readonly fingerprint: string;
  /** Per slice, a short digest of everything that goes into the fingerprint. */
  readonly definitions: Readonly<Record<string, string>>;
  listeners(eventType: string): readonly Listener[];
}

export function createSessionSchema(slices: readonly Slice[]): SessionSchema {
  const sorted = [...slices].sort((a, b) => (a.name < b.name ? -1 : 1));
  const twice = sorted.find(({ name }, index) => sorted[index + 1]?.name === name);
  if (twice !== undefined) throw new SliceDefinitionError(twice.name, 'there are two slices with this name');
  const listeners = listenersByType(sorted);
  const definitions = once(() => Object.fromEntries(sorted.map((slice) => [slice.name, definitionOf(slice)])));
  const fingerprint = once(() => fingerprintOf(definitions()));
  return {
    slices: sorted,
    get fingerprint() {
      return fingerprint();
    },
    get definitions() {
      return definitions();
    },
    listeners: (eventType: string) => listeners.get(eventType) ?? [],
  };
}

/** Every workflow loads this module anew, and most never take a snapshot: the digests are made when they are needed. */
function once<T extends string | object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= Object.freeze(make()));
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
