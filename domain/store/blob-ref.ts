import { z } from 'zod';

/** Where a content stands in the store: the only form in which anything large passes through a workflow. */
export const blobRefSchema = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
  bytes: z.int().nonnegative(),
  mediaType: z.string().min(1).max(100),
});
export type BlobRef = Readonly<z.infer<typeof blobRefSchema>>;

export const mediaTypes = {
  markdown: 'text/markdown',
  text: 'text/plain',
  json: 'application/json',
  jsonLines: 'application/x-ndjson',
} as const;
