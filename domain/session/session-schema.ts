import { SliceDefinitionError } from './session-errors';
import { definitionOf, fingerprintOf } from './fingerprint';
import type { ErasedHandler, Slice } from './slice';

/** A slice and its handler for one event type. */
export interface Listener {
  readonly slice: Slice;
  readonly handler: ErasedHandler;
}

/**
 * The slices that sessions have. `createWorkflows` creates it once from the built-in slices and those of a project.
 * Schemas with equal fingerprints can exchange snapshots; any other exchange fails with `Session.SnapshotIncompatible`.
 */
export interface SessionSchema {
  /** The slices sorted by name, so that nothing depends on the order of registration. */
  readonly slices: readonly Slice[];
  /**
   * Digest of all slice definitions. The first access throws a `SliceDefinitionError` if records are not plain JSON.
   */
  readonly fingerprint: string;
  /** Short digest of each slice's definition, by slice name. */
  readonly definitions: Readonly<Record<string, string>>;
  /** Returns the slices that handle an event type; empty when none does. */
  listeners(eventType: string): readonly Listener[];
}

/**
 * Creates a session schema from slices. Pass the built-in ones first: `createSessionSchema([...builtInSlices, yours])`.
 * Throws a `SliceDefinitionError` if two slices have the same name.
 */
export function createSessionSchema(slices: readonly Slice[]): SessionSchema {
  const sorted = [...slices].sort((a, b) => (a.name < b.name ? -1 : 1));
  const duplicate = sorted.find(({ name }, index) => sorted[index + 1]?.name === name);
  if (duplicate !== undefined) throw new SliceDefinitionError(duplicate.name, 'two slices have this name');
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

/** Computes a value on first use. Every workflow loads this module, and most never need the digests. */
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
