import { z } from 'zod';
import { checkValue, canonicalJson } from '../kernel';
import { type BlobRef, blobRefSchema } from '../store';
import { byCodeUnit, nameProblem } from './path';

const name = z.string().refine((text) => nameProblem(text) === undefined, 'is not a valid name');
const { hash, bytes } = blobRefSchema.shape;

/**
 * A file whose content is in the store. A file that is not UTF-8 text is binary: listed, but never shown or edited as
 * text.
 */
const fileEntrySchema = z.strictObject({
  name,
  kind: z.literal('file'),
  hash,
  bytes,
  binary: z.literal(true).optional(),
  executable: z.literal(true).optional(),
});
/** A subfolder. `hash` and `bytes` refer to the encoded tree of that folder. */
const folderEntrySchema = z.strictObject({ name, kind: z.literal('folder'), hash, bytes });
/** A symbolic link. Its content is the target path; it is never followed. */
const linkEntrySchema = z.strictObject({ name, kind: z.literal('link'), hash, bytes });
/** A file that exists in the folder but whose content was not imported. */
const unreadEntrySchema = z.strictObject({
  name,
  kind: z.literal('unread'),
  bytes,
  reason: z.enum(['tooBig', 'unreadable']),
});

/** One entry of a folder. */
const treeEntrySchema = z.discriminatedUnion('kind', [
  fileEntrySchema,
  folderEntrySchema,
  linkEntrySchema,
  unreadEntrySchema,
]);
const treeSchema = z.strictObject({ entries: z.array(treeEntrySchema) });

export type FileEntry = Readonly<z.infer<typeof fileEntrySchema>>;
export type FolderEntry = Readonly<z.infer<typeof folderEntrySchema>>;
export type TreeEntry = Readonly<z.infer<typeof treeEntrySchema>>;

/** One folder with its entries sorted by name. Trees contain no empty folders; only the workspace root may be empty. */
export interface Tree {
  readonly entries: readonly TreeEntry[];
}

/** Media type of an encoded tree. */
export const treeMediaType = 'application/vnd.baton.tree+json';

/** Encodes a tree as canonical text, so that equal folders have equal hashes. */
export function encodeTree(entries: Iterable<TreeEntry>): string {
  return canonicalJson({ entries: [...entries].sort((a, b) => byCodeUnit(a.name, b.name)) });
}

/** Parses an encoded tree; undefined when the text is not a valid tree. */
export function decodeTree(text: string): Tree | undefined {
  const parsed = checkValue(treeSchema, parseJson(text));
  if (!parsed.success) return undefined;
  const { entries } = parsed.data;
  const inOrder = entries.every((entry, index) => index === 0 || (entries[index - 1]?.name ?? '') < entry.name);
  return inOrder ? { entries } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the ref of a folder's encoded tree. */
export function folderRef({ hash, bytes }: Pick<FolderEntry, 'hash' | 'bytes'>): BlobRef {
  return { hash, bytes, mediaType: treeMediaType };
}

/** Returns the ref of a file's content. */
export function contentRef({ hash, bytes }: Pick<FileEntry, 'hash' | 'bytes'>): BlobRef {
  return { hash, bytes, mediaType: 'application/octet-stream' };
}
