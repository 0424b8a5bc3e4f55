import { z } from 'zod';
import { blobRefSchema } from '../store/blob-ref';
import { parsePath } from './path';

const hash = blobRefSchema.shape.hash.nullable();

/**
 * A file change that a tool requests. It is applied by compare-and-set, so that no agent overwrites content it has not
 * seen.
 */
export const fileChangeSchema = z.strictObject({
  path: z.string().refine(isPath, 'is not a valid workspace path'),
  /** Hash of the content that the tool saw; null when the file did not exist. */
  expectedHash: hash,
  /** Hash of the new content; null when the file is deleted. */
  newHash: hash,
  /** Length of the new content in bytes; 0 when the file is deleted. */
  bytes: z.int().nonnegative(),
  /** Media type of the new content; omitted for text. */
  mediaType: z.string().min(1).max(100).optional(),
});
export type FileChange = Readonly<z.infer<typeof fileChangeSchema>>;

/** The current state of a changed file. */
export type FileState = Omit<FileChange, 'expectedHash'>;

/** Media type of content that is not text. */
export const binaryMediaType = 'application/octet-stream';

function isPath(text: string): boolean {
  try {
    return parsePath(text) === text;
  } catch {
    return false;
  }
}
