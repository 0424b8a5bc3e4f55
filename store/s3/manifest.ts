import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { StoreUnavailableError, WrongStoreError } from '../../domain/store';
import type { Bucket } from './bucket';

const manifestKey = 'store.json';
const manifestSchema = z.object({ id: z.uuid(), version: z.literal(1) });

/** Reads the id of the store in a bucket; undefined if there is none. */
export async function readManifest(bucket: Bucket): Promise<string | undefined> {
  const bytes = await bucket.get(manifestKey);
  if (bytes === undefined) return undefined;
  const manifest = manifestSchema.safeParse(jsonIn(bytes)).data;
  if (manifest === undefined)
    throw new StoreUnavailableError(bucket.location, 'its store.json is damaged, or was written by another version');
  return manifest.id;
}

/** Turns a part of a bucket into the store with this id. Returns the id that is there afterwards. */
export async function claimBucket(bucket: Bucket, id: string = randomUUID()): Promise<string> {
  const found = await readManifest(bucket);
  if (found !== undefined) return found;
  await bucket.create(manifestKey, Buffer.from(`${JSON.stringify({ id, version: 1 })}\n`));
  return (await readManifest(bucket)) ?? id;
}

/**
 * Throws if the objects of the store are gone, or are those of another store. Callers use it to distinguish a lost blob
 * from a bucket that was emptied or confused with another.
 */
export async function assertSameBucket(bucket: Bucket, id: string): Promise<void> {
  const found = await readManifest(bucket);
  if (found === undefined) throw new StoreUnavailableError(bucket.location, 'its store.json is gone');
  if (found !== id) throw new WrongStoreError(id, found);
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
