import { z } from 'zod';
import { mediaTypes } from '../../../domain/store';
import { builtInToolNames } from '../../../domain/tool';
import {
  type FileChange,
  isExcludedPath,
  isProtectedPath,
  type WorkspaceFile,
  type WorkspaceView,
} from '../../../domain/workspace';
import { defineTool, type ToolContext, ToolError } from '../define-tool';
import { filePath, readText, textFileAt, workspaceOf } from './files';

/** Replaces an exact text in a workspace file. */
export const editFileTool = defineTool({
  name: builtInToolNames.editFile,
  id: 'baton/edit_file@1',
  description:
    'Replaces an exact text in a workspace file. `old_text` must match the file exactly, including whitespace and line breaks, and must occur exactly once: include surrounding lines to make it unique, or set `replace_all`. Edit a file at most once per turn.',
  parameters: z.strictObject({
    path: z.string().min(1).describe('Path relative to the workspace root, separated by /'),
    old_text: z.string().min(1).describe('The exact text to replace, including whitespace'),
    new_text: z.string().describe('The replacement text; empty to delete'),
    replace_all: z.boolean().optional().describe('Replace every occurrence'),
  }),
  success: 'The file is changed. You see the change from your next turn on.',
  cost: 'Free.',
  safeToRepeat: true,

  async run({ path, old_text, new_text, replace_all = false }, context) {
    const workspace = workspaceOf(context);
    const file = await textFileAt(workspace, filePath(path));
    const target = await resolveWriteTarget(workspace, file.path);
    const pieces = (await readText(workspace, file)).split(old_text);
    const found = pieces.length - 1;
    if (found === 0) throw notFound(file.path, pieces[0] ?? '', old_text);
    if (found > 1 && !replace_all) throw notUnique(file.path, found);
    const change = await storeFileChange(context, target, pieces.join(new_text));
    if (change === undefined) throw new ToolError('old_text and new_text are identical. Nothing was changed.');
    const times = found === 1 ? 'one place' : `${found} places`;
    return { message: `Changed "${file.path}" in ${times} (now ${change.bytes} bytes).`, changes: [change] };
  },
});

function notFound(path: string, text: string, wanted: string): ToolError {
  const start = `old_text was not found in "${path}".`;
  if (text.includes('\r\n') && text.replaceAll('\r\n', '\n').includes(wanted)) {
    return new ToolError(`${start} The file has Windows line endings: write \\r\\n in old_text and new_text.`);
  }
  return new ToolError(`${start} Read the file again and copy the text exactly, including whitespace and line breaks.`);
}

function notUnique(path: string, found: number): ToolError {
  return new ToolError(
    `old_text occurs ${found} times in "${path}". Include more surrounding lines to make it unique, or set replace_all.`,
  );
}

/** Writes a whole workspace file. */
export const writeFileTool = defineTool({
  name: builtInToolNames.writeFile,
  id: 'baton/write_file@1',
  description:
    'Creates a text file in the workspace, or replaces its entire content. Missing folders are created. To change part of a file, use edit_file.',
  parameters: z.strictObject({
    path: z.string().min(1).describe('Path relative to the workspace root, separated by /'),
    content: z.string().describe('The complete new content'),
  }),
  success: 'The file has exactly the given content from your next turn on.',
  cost: 'Free.',
  safeToRepeat: true,

  async run({ path, content }, context) {
    const target = await resolveWriteTarget(workspaceOf(context), path);
    if (context.unseen?.includes(target.path) === true) {
      throw new ToolError(
        `"${target.path}" was changed by another agent since you last read it. Read it again, then write a version that includes those changes.`,
      );
    }
    const change = await storeFileChange(context, target, content);
    if (change === undefined) return { message: `"${target.path}" already has this content.` };
    const done = target.file === undefined ? 'Created' : 'Replaced';
    return { message: `${done} "${target.path}" (${change.bytes} bytes).`, changes: [change] };
  },
});

/** Maximum bytes of a written file or artifact. */
const maxWrittenBytes = 10 * 1024 * 1024;
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
async function resolveWriteTarget(workspace: WorkspaceView, given: string): Promise<WriteTarget> {
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
async function storeFileChange(
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
