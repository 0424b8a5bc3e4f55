import type { z } from 'zod';
import { canonicalJson } from '../domain/kernel/canonical-json';
import { mediaTypes, type BlobRef } from '../domain/store/blob-ref';
import { BlobCorruptError } from '../domain/store/errors';
import { firstIssue } from '../domain/kernel/schema-issues';
import type { RunStore } from '../domain/store/store';

/** Stores a value as its canonical JSON. */
export function putJson(store: RunStore, value: unknown): Promise<BlobRef> {
  return store.put(Buffer.from(canonicalJson(value)), mediaTypes.json);
}

/**
 * Loads a value that `putJson` stored. Throws if it does not match the schema, because this version did not write it.
 */
export async function getJson<Schema extends z.ZodType>(
  store: RunStore,
  ref: BlobRef,
  schema: Schema,
  neededBy: string,
): Promise<z.infer<Schema>> {
  const text = Buffer.from(await store.get(ref, neededBy)).toString('utf8');
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error, '');
  throw new BlobCorruptError(store.runId, ref.hash, neededBy, `${field}: ${reason}`);
}
