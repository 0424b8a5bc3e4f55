import { z } from 'zod';
import { parsePath } from '../workspace/path';

const path = z.string().refine(isPlain, 'must be a path relative to the workspace, such as .planning/PROJECT.md');

const tag = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'must be a name of letters, digits, `_` and `-`')
  .refine((name) => name.toLowerCase() !== absentTag, 'is the tag in which missing sources are listed');

/** Where sources that are not there are listed. */
export const absentTag = 'absent';

const sourceSchema = z.union(
  [
    path,
    z.strictObject({ outline: z.literal(true) }),
    z.strictObject({
      mentionedIn: path,
      /** Files and folders that stay out, even if the text mentions them. */
      except: z.array(path).optional(),
    }),
  ],
  'must be a path, {outline: true} or {mentionedIn: path}',
);

/** One thing that is put into an agent's prompt before it begins, and the tag it stands in. */
export const sliceEntrySchema = z.strictObject({ source: sourceSchema, tag, required: z.boolean().optional() });
export type SliceEntry = Readonly<z.infer<typeof sliceEntrySchema>>;

export const sliceSchema = z.array(sliceEntrySchema).max(50);
export type Slice = readonly SliceEntry[];

function isPlain(text: string): boolean {
  try {
    return parsePath(text) === text;
  } catch {
    return false;
  }
}
