import { z } from 'zod';
import { jsonDigest } from '../hash';
import { SliceDefinitionError } from './errors';
import type { Slice } from './slice';

const shortDigest = 16;

/** Digest of what makes records of a slice readable elsewhere: name, version, form of the records, conflict policy. */
export function definitionOf({ name, version, record, conflict }: Slice): string {
  return jsonDigest({ name, version, conflict, record: jsonSchemaOf(name, record) }).slice(0, shortDigest);
}

export function fingerprintOf(definitions: Readonly<Record<string, string>>): string {
  return jsonDigest(definitions);
}

/** Also the check that records are plain JSON: dates, maps and transformations have no JSON Schema. */
function jsonSchemaOf(slice: string, record: z.ZodType): unknown {
  try {
    return z.toJSONSchema(record, {
      override: ({ jsonSchema }) => {
        // Words for readers: a better wording must not make snapshots incompatible.
        delete jsonSchema.description;
        delete jsonSchema.title;
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SliceDefinitionError(slice, `its records are not plain JSON: ${reason}`);
  }
}
