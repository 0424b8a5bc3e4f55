import { mediaTypes } from '../../../domain/store/blob-ref';
import type { FileChange } from '../../../domain/workspace/changes';
import type { WorkspaceFile, WorkspaceView } from '../../../domain/workspace/view';
import { isProtectedPath, isExcludedPath } from '../../../domain/workspace/withheld';
import { filePath } from './files';
import { ToolError, type ToolContext } from '../define-tool';

/** Maximum bytes of a written file or artifact. */
export const maxWrittenBytes = 10 * 1024 * 1024;
/** Maximum characters of a changed file's path, which is recorded in the session and therefore in history. */
const maxChangedPathLength = 1_000;

/** The place that a write would change. */
export interface WriteTarget {
  /** Path in the workspace's spelling. */
  readonly path: string;
  /** The existing file; undefined when the write creates one. */
  readonly file: WorkspaceFile | undefined;
}

/**
 * Resolves the target of a write. Throws a refusal unless it is a file, or if it may contain secrets or belongs to git.
 */
export async function resolveWriteTarget(workspace: WorkspaceView, given: string): Promise<WriteTarget> {
  const { path, entry, blockedBy } = await workspace.resolve(filePath(given));
  if (blockedBy !== undefined) throw new ToolError(`"${blockedBy.path}" is not a folder, so it cannot contain files.`);
  if (isProtectedPath(path)) throw new ToolError(`"${path}" belongs to version control and cannot be written.`);
  if (entry === undefined && isExcludedPath(path)) {
    throw new ToolError(
      `"${path}" cannot be written because files with this name may contain secrets. Choose another name.`,
    );
  }
  if (path.length > maxChangedPathLength)
    throw new ToolError(`The path is longer than ${maxChangedPathLength} characters.`);
  if (entry !== undefined && entry.kind !== 'file') {
    throw new ToolError(`"${path}" is ${kinds[entry.kind]}, and cannot be replaced by a file.`);
  }
  return { path, file: entry };
}

const kinds = { folder: 'a folder', link: 'a link', unread: 'a file that was not imported' } as const;

/** Stores the new text and returns the change of the file; undefined when its content stays the same. */
export async function storeFileChange(
  { blobs }: ToolContext,
  { path, file }: WriteTarget,
  content: string,
): Promise<FileChange | undefined> {
  const bytes = encodeText(content);
  const ref = await blobs.put(bytes, mediaTypes.text);
  if (ref.hash === file?.hash) return undefined;
  return { path, expectedHash: file?.hash ?? null, newHash: ref.hash, bytes: ref.bytes };
}

/**
 * Encodes text as UTF-8. Refuses text without a valid encoding, which would be stored differently from what the model
 * wrote.
 */
export function encodeText(content: string): Uint8Array {
  if (/\p{Surrogate}/u.test(content))
    throw new ToolError('The content is not valid Unicode: it contains an unpaired surrogate.');
  if (content.includes('\0')) throw new ToolError('The content contains a NUL character; only text can be written.');
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length <= maxWrittenBytes) return bytes;
  throw new ToolError(`The content is ${bytes.length} bytes; the limit is ${maxWrittenBytes}.`);
}
