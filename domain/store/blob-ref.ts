import { z } from 'zod';

/** The address of a blob in the store. Workflows pass large values only as refs. */
export const blobRefSchema = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
  /** Length of the blob in bytes. */
  bytes: z.int().nonnegative(),
  mediaType: z.string().min(1).max(100),
});
export type BlobRef = Readonly<z.infer<typeof blobRefSchema>>;

/** Media types of the texts that Baton stores. */
export const mediaTypes = {
  markdown: 'text/markdown',
  text: 'text/plain',
  json: 'application/json',
  jsonLines: 'application/x-ndjson',
} as const;
