import { z } from 'zod';
import { canonicalJson } from '../json';
import { blobRefSchema, type BlobRef } from '../store/blob-ref';
import { byCodeUnit, problemOfName } from './path';

const name = z.string().refine((text) => problemOfName(text) === undefined, 'is no name');
const { hash, bytes } = blobRefSchema.shape;

/** A file whose contents are in the store. What is not UTF-8 text is binary: listed, but never shown or edited as text. */
export const fileEntrySchema = z.strictObject({
  name,
  kind: z.literal('file'),
  hash,
  bytes,
  binary: z.literal(true).optional(),
  executable: z.literal(true).optional(),
});
/** `hash` and `bytes` are those of the folder's own tree. */
export const folderEntrySchema = z.strictObject({ name, kind: z.literal('folder'), hash, bytes });
/** A symbolic link; its target is the content, and is never followed. */
export const linkEntrySchema = z.strictObject({ name, kind: z.literal('link'), hash, bytes });
/** A file that is known to be there, but whose contents were not imported. */
export const unreadEntrySchema = z.strictObject({
  name,
  kind: z.literal('unread'),
  bytes,
  reason: z.enum(['tooBig', 'unreadable']),
});

export const treeEntrySchema = z.discriminatedUnion('kind', [
  fileEntrySchema,
  folderEntrySchema,
  linkEntrySchema,
  unreadEntrySchema,
]);
const treeSchema = z.strictObject({ entries: z.array(treeEntrySchema) });

export type FileEntry = Readonly<z.infer<typeof fileEntrySchema>>;
export type FolderEntry = Readonly<z.infer<typeof folderEntrySchema>>;
export type TreeEntry = Readonly<z.infer<typeof treeEntrySchema>>;

/** One folder: its entries sorted by name. A folder that holds nothing is in no tree; only the workspace itself may be empty. */
export interface Tree {
  readonly entries: readonly TreeEntry[];
}

export const treeMediaType = 'application/vnd.baton.tree+json';

/** The one text of a tree, so that equal folders have equal hashes. */
export function encodeTree(entries: Iterable<TreeEntry>): string {
  return canonicalJson({ entries: [...entries].sort((a, b) => byCodeUnit(a.name, b.name)) });
}

/** The tree that this text stands for; undefined when it is none. */
export function decodeTree(text: string): Tree | undefined {
  const parsed = treeSchema.safeParse(parseJson(text));
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

export function folderRef({ hash, bytes }: Pick<FolderEntry, 'hash' | 'bytes'>): BlobRef {
  return { hash, bytes, mediaType: treeMediaType };
}

export function contentRef({ hash, bytes }: Pick<FileEntry, 'hash' | 'bytes'>): BlobRef {
  return { hash, bytes, mediaType: 'application/octet-stream' };
}
