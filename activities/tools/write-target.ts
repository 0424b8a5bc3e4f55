import { mediaTypes } from '../../domain/store/blob-ref';
import type { FileChange } from '../../domain/workspace/change';
import type { WorkspaceFile, WorkspaceView } from '../../domain/workspace/view';
import { isNeverWritten, isWithheld } from '../../domain/workspace/withheld';
import { filePath } from './files';
import { ToolError, type ToolContext } from './tool';

export const maxWrittenBytes = 10 * 1024 * 1024;
/** Paths of changed files are part of the session, and thus of history. */
const maxChangedPathLength = 1_000;

export interface WriteTarget {
  /** As the workspace spells it. */
  readonly path: string;
  /** The file that is there now. */
  readonly file: WorkspaceFile | undefined;
}

/** Where a write would go, or a refusal: only files can be written, and nothing where secrets or version control live. */
export async function writeTarget(workspace: WorkspaceView, given: string): Promise<WriteTarget> {
  const { path, entry, blockedBy } = await workspace.resolve(filePath(given));
  if (blockedBy !== undefined) throw new ToolError(`"${blockedBy.path}" is not a folder, so nothing can be in it.`);
  if (isNeverWritten(path)) throw new ToolError(`"${path}" belongs to version control, and is never written to.`);
  if (entry === undefined && isWithheld(path)) {
    throw new ToolError(`"${path}" may not be written: files of this name may hold secrets. Choose another name.`);
  }
  if (path.length > maxChangedPathLength)
    throw new ToolError(`The path is longer than ${maxChangedPathLength} characters.`);
  if (entry !== undefined && entry.kind !== 'file') {
    throw new ToolError(`"${path}" is ${kinds[entry.kind]}, and cannot be replaced by a file.`);
  }
  return { path, file: entry };
}

const kinds = { folder: 'a folder', link: 'a link', unread: 'a file that was not imported' } as const;

/** Stores the new text, and says how the file changes by it; undefined when it does not. */
export async function changeTo(
  { blobs }: ToolContext,
  { path, file }: WriteTarget,
  content: string,
): Promise<FileChange | undefined> {
  const bytes = encode(content);
  const ref = await blobs.put(bytes, mediaTypes.text);
  if (ref.hash === file?.hash) return undefined;
  return { path, expectedHash: file?.hash ?? null, newHash: ref.hash, bytes: ref.bytes };
}

/** Text only: what has no UTF-8 form would be stored as something else than the model wrote. */
export function encode(content: string): Uint8Array {
  if (/\p{Surrogate}/u.test(content))
    throw new ToolError('The content is not valid Unicode: it has half a surrogate pair.');
  if (content.includes('\0')) throw new ToolError('The content has a NUL character; only text can be written.');
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length <= maxWrittenBytes) return bytes;
  throw new ToolError(`The content has ${bytes.length} bytes, and at most ${maxWrittenBytes} can be written.`);
}
