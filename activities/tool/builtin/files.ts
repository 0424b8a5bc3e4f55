import {
  InvalidPathError,
  isExcludedPath,
  parseFolderPath,
  parsePath,
  type WorkspaceEntry,
  type WorkspaceFile,
  type WorkspaceView,
} from '../../../domain/workspace';
import { decodeUtf8 } from '../../../store/blobs';
import { type ToolContext, ToolError } from '../define-tool';

/** Returns the agent's workspace, or throws a refusal if it has none. */
export function workspaceOf({ workspace }: ToolContext): WorkspaceView {
  if (workspace === undefined) throw new ToolError('You have no workspace: there are no files.');
  return workspace;
}

/** Parses the path of a file; an invalid one is a refusal. */
export function filePath(text: string): string {
  return refusing(() => parsePath(text));
}

/** Parses the path of a folder; an invalid one is a refusal. */
export function folderPath(text: string): string {
  return refusing(() => parseFolderPath(text));
}

function refusing(parse: () => string): string {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidPathError) throw new ToolError(`${error.message}.`);
    throw error;
  }
}

/** Returns the entry at a path, or throws a refusal that explains what to do. */
export async function entryAt(workspace: WorkspaceView, path: string): Promise<WorkspaceEntry> {
  const entry = await workspace.stat(path);
  if (entry !== undefined) return entry;
  if (isExcludedPath(path))
    throw new ToolError(`"${path}" is not available because files with this name may contain secrets.`);
  throw new ToolError(`"${path}" does not exist in the workspace. Use list_files to see what exists.`);
}

/** Returns the text file at a path, or throws a refusal if it is anything else. */
export async function textFileAt(workspace: WorkspaceView, path: string): Promise<WorkspaceFile> {
  const entry = await entryAt(workspace, path);
  const refuse = (reason: string): never => {
    throw new ToolError(`"${entry.path}" ${reason}`);
  };
  if (entry.kind === 'folder') return refuse('is a folder. Use list_files.');
  if (entry.kind === 'link')
    return refuse('is a symbolic link, which is not followed. Use the path of the file itself.');
  if (entry.kind === 'unread') return refuse(`cannot be read: ${reasons[entry.reason]} (${entry.bytes} bytes).`);
  if (entry.binary === true) return refuse(`is a binary file of ${entry.bytes} bytes, and cannot be read as text.`);
  return entry;
}

const reasons = { tooBig: 'it is too large', unreadable: 'permission denied' } as const;

/** Reads a text file, or throws a refusal if its content is binary. */
export async function readText(workspace: WorkspaceView, { path }: WorkspaceFile): Promise<string> {
  const text = decodeUtf8(await workspace.read(path));
  if (text === undefined) throw new ToolError(`"${path}" is a binary file, and cannot be read as text.`);
  return text;
}
