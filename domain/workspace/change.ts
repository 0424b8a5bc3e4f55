import { z } from 'zod';
import { blobRefSchema } from '../store/blob-ref';
import { parsePath } from './path';

const hash = blobRefSchema.shape.hash.nullable();

/** One file as a tool left it: compare-and-set, so that nobody overwrites what he has not seen. */
export const fileChangeSchema = z.strictObject({
  path: z.string().refine(isPath, 'is no path in a workspace'),
  /** The content that the tool saw; null: there was no such file. */
  expectedHash: hash,
  /** The content that it wrote; null: the file is gone. */
  newHash: hash,
  /** Length of the new content; 0 when the file is gone. */
  bytes: z.int().nonnegative(),
  /** Only when it is not text. */
  mediaType: z.string().min(1).max(100).optional(),
});
export type FileChange = Readonly<z.infer<typeof fileChangeSchema>>;

/** How a file is after its changes, whatever it was before. */
export type FileState = Omit<FileChange, 'expectedHash'>;

/** The media type of a change whose content is not text. */
export const binaryMediaType = 'application/octet-stream';

function isPath(text: string): boolean {
  try {
    return parsePath(text) === text;
  } catch {
    return false;
  }
}
