import { z } from 'zod';
import { parsePath } from '../workspace/path';

const path = z.string().refine(isPlain, 'must be a path relative to the workspace, such as .planning/PROJECT.md');

const tag = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'must be a name of letters, digits, `_` and `-`')
  .refine((name) => name.toLowerCase() !== absentTag, 'is reserved for the list of missing sources');

/** Tag of the list of absent sources. */
export const absentTag = 'absent';

const sourceSchema = z.union(
  [
    path,
    z.strictObject({ outline: z.literal(true) }),
    z.strictObject({
      mentionedIn: path,
      /** Files and folders to exclude, even if the text mentions them. */
      except: z.array(path).optional(),
    }),
  ],
  'must be a path, {outline: true} or {mentionedIn: path}',
);

/** One source that is injected into an agent's prompt, and the tag around it. */
export const sliceEntrySchema = z.strictObject({ source: sourceSchema, tag, required: z.boolean().optional() });
export type ContextSliceEntry = Readonly<z.infer<typeof sliceEntrySchema>>;

/** A context slice: the sources that a skill injects into its prompt. */
export const contextSliceSchema = z.array(sliceEntrySchema).max(50);
export type ContextSlice = readonly ContextSliceEntry[];

function isPlain(text: string): boolean {
  try {
    return parsePath(text) === text;
  } catch {
    return false;
  }
}
