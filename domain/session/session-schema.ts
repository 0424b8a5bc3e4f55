import { SliceDefinitionError } from './session-errors';
import type { ErasedHandler, Slice } from './slice';

/** A slice and its handler for one event type. */
export interface Listener {
  readonly slice: Slice;
  readonly handler: ErasedHandler;
}

/** The slices that sessions have. `createWorkflows` creates it once from the built-in slices and those of a project. */
export interface SessionSchema {
  /** The slices sorted by name, so that nothing depends on the order of registration. */
  readonly slices: readonly Slice[];
  /** Returns a slice by its name; undefined when there is none. */
  slice(name: string): Slice | undefined;
  /** Returns the slices in use that handle an event type; empty when none does. */
  listeners(eventType: string): readonly Listener[];
}

/**
 * Creates a session schema from slices. Pass the built-in ones first: `createSessionSchema([...builtInSlices, yours])`.
 * A slice that is not in use handles no events, but its records can be read; by default all are in use. Throws a
 * `SliceDefinitionError` if two slices have the same name.
 */
export function createSessionSchema(
  slices: readonly Slice[],
  isInUse: (slice: Slice) => boolean = () => true,
): SessionSchema {
  const sorted = [...slices].sort((a, b) => (a.name < b.name ? -1 : 1));
  const duplicate = sorted.find(({ name }, index) => sorted[index + 1]?.name === name);
  if (duplicate !== undefined) throw new SliceDefinitionError(duplicate.name, 'two slices have this name');
  const byName = new Map(sorted.map((slice) => [slice.name, slice]));
  const listeners = listenersByType(sorted);
  return {
    slices: sorted,
    slice: (name) => byName.get(name),
    listeners: (eventType) => (listeners.get(eventType) ?? []).filter(({ slice }) => isInUse(slice)),
  };
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
