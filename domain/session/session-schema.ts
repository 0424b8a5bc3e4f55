import { z } from 'zod';
import { jsonDigest } from '../kernel';
import { SliceDefinitionError } from './session-errors';
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

const shortDigest = 16;

/**
 * Digest of everything that decides whether a slice's records can be exchanged: name, version, record schema, conflict
 * policy.
 */
function definitionOf({ name, version, record, conflict }: Slice): string {
  return jsonDigest({ name, version, conflict, record: jsonSchemaOf(name, record) }).slice(0, shortDigest);
}

/** Digest of all slice definitions of a schema. */
function fingerprintOf(definitions: Readonly<Record<string, string>>): string {
  return jsonDigest(definitions);
}

/**
 * Marks a field that was added to a released record schema: `.optional().meta(addedLater)`. The field is excluded from
 * the fingerprint, so that snapshots in flight stay compatible. A version of Baton without the field rejects only
 * records that have it.
 */
export const addedLater = { addedLater: true } as const;

function jsonSchemaOf(slice: string, record: z.ZodType): unknown {
  const schema = toJsonSchema(slice, record);
  const isOld = ([, field]: [string, unknown]): boolean => !Object.hasOwn(Object(field) as object, 'addedLater');
  const fields = Object.entries(schema.properties ?? {});
  const late = fields.find((field) => !isOld(field) && schema.required?.includes(field[0]) === true);
  if (late !== undefined) throw new SliceDefinitionError(slice, `"${late[0]}" was added later, so it must be optional`);
  return fields.every(isOld) ? schema : { ...schema, properties: Object.fromEntries(fields.filter(isOld)) };
}

/**
 * Converts a record schema. This also checks that records are plain JSON: dates, maps and transforms have no JSON
 * Schema.
 */
function toJsonSchema(slice: string, record: z.ZodType): z.core.JSONSchema.JSONSchema {
  try {
    return z.toJSONSchema(record, {
      override: ({ jsonSchema }) => {
        // Rewording these texts must not make snapshots incompatible.
        delete jsonSchema.description;
        delete jsonSchema.title;
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SliceDefinitionError(slice, `its records are not plain JSON: ${reason}`);
  }
}
