import { z } from 'zod';
import { canonicalJson } from '../kernel';
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

/** Returns the ref of a folder's encoded tree. */
export function folderRef({ hash, bytes }: Pick<FolderEntry, 'hash' | 'bytes'>): BlobRef {
  return { hash, bytes, mediaType: treeMediaType };
}

/** Returns the ref of a file's content. */
export function contentRef({ hash, bytes }: Pick<FileEntry, 'hash' | 'bytes'>): BlobRef {
  return { hash, bytes, mediaType: 'application/octet-stream' };
}

/**
 * Names of files and folders that may contain secrets or that belong to other programs, at any depth. Case-insensitive.
 */
const withheldNames: readonly RegExp[] = [
  /^\.(git|hg|svn|jj|baton)$/,
  /^\.env/,
  /^\.(ssh|gnupg|aws|azure|gcloud|kube|docker|password-store|vault-token)$/,
  /^[._]netrc$/,
  /^\.(npmrc|yarnrc|yarnrc\.yml|pypirc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|s3cfg|boto)$/,
  /^id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?$/,
  /\.(pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|gpg|tfstate|tfvars)$/,
  /^(credentials|client_secret.*|service[-_]?account.*)\.json$/,
  /^secrets?\.(json|ya?ml|toml|env)$/,
];

/**
 * Version control folders. They are never written to, because their files can run as programs on the user's machine.
 */
const neverWritten = /^\.(git|hg|svn|jj)$/i;

function isWithheldName(name: string): boolean {
  const lower = name.toLowerCase();
  return withheldNames.some((pattern) => pattern.test(lower));
}

/**
 * Returns whether a path is excluded from workspaces. `allowed` lists paths or names that the user explicitly included;
 * each entry also includes everything below it.
 */
export function isExcludedPath(path: string, allowed: readonly string[] = []): boolean {
  const names = path.split('/');
  if (!names.some(isWithheldName)) return false;
  return !allowed.some((item) => names.includes(item) || within(path, item) || within(item, path));
}

/** Returns whether a path is inside a version control folder and must not be written. */
export function isProtectedPath(path: string): boolean {
  return path.split('/').some((name) => neverWritten.test(name));
}

/**
 * Whether a path is a folder or below it. `isExcludedPath` also allows folders above an allowed path, which it must enter.
 */
function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
