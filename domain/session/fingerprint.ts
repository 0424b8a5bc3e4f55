import { z } from 'zod';
import { jsonDigest } from '../kernel/hash';
import { SliceDefinitionError } from './session-errors';
import type { Slice } from './slice';

const shortDigest = 16;

/**
 * Digest of everything that decides whether a slice's records can be exchanged: name, version, record schema, conflict
 * policy.
 */
export function definitionOf({ name, version, record, conflict }: Slice): string {
  return jsonDigest({ name, version, conflict, record: jsonSchemaOf(name, record) }).slice(0, shortDigest);
}

/** Digest of all slice definitions of a schema. */
export function fingerprintOf(definitions: Readonly<Record<string, string>>): string {
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
