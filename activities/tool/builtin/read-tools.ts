import { z } from 'zod';
import { builtInToolNames } from '../../../domain/tool';
import type { WorkspaceEntry, WorkspaceView } from '../../../domain/workspace';
import { defineTool, ToolError } from '../define-tool';
import { entryAt, filePath, folderPath, readText, textFileAt, workspaceOf } from './files';
import { defaultLines, maxLines, selectLines } from './lines';

/** Reads a workspace file. */
export const readFileTool = defineTool({
  name: builtInToolNames.readFile,
  id: 'baton/read_file@2',
  description:
    'Reads a text file of the workspace. Returns up to 1,000 lines unless you set `limit`; use `offset` to continue. To search many files, use grep.',
  parameters: z.strictObject({
    path: z.string().min(1).describe('Path relative to the workspace root, separated by /'),
    offset: z.int().min(1).optional().describe('First line to read, counted from 1'),
    limit: z.int().min(1).max(maxLines).optional().describe('Number of lines to read; default 1,000'),
  }),
  success: 'The requested lines.',
  cost: 'Free; the text counts as input tokens.',
  safeToRepeat: true,

  async run({ path, offset = 1, limit = defaultLines }, context) {
    const workspace = workspaceOf(context);
    const file = await textFileAt(workspace, filePath(path));
    if (file.bytes === 0) return { message: `"${file.path}" is empty.`, read: file.path };
    const text = await readText(workspace, file);
    return { message: selectLines(text, `"${file.path}"`, offset, limit, context.maxResultBytes), read: file.path };
  },
});

const maxEntries = 1_000;

/** Lists a workspace folder. */
export const listFilesTool = defineTool({
  name: builtInToolNames.listFiles,
  id: 'baton/list_files@2',
  description:
    'Lists a workspace folder, sorted by name, at most 1,000 entries. Folder names end in /. Files ignored by git and files that may contain secrets are not in the workspace.',
  parameters: z.strictObject({
    path: z.string().min(1).optional().describe('Folder relative to the workspace root; default: the root'),
    recursive: z.boolean().optional().describe('Include the contents of subfolders'),
  }),
  success:
    'One path per line, relative to the workspace root. Entries that cannot be read as text are marked in brackets.',
  cost: 'Free; the text counts as input tokens.',
  safeToRepeat: true,

  async run({ path = '.', recursive = false }, context) {
    const workspace = workspaceOf(context);
    const folder = await entryAt(workspace, folderPath(path));
    if (folder.kind !== 'folder') throw new ToolError(`"${folder.path}" is not a folder. Use read_file for files.`);
    const { lines, more } = await collect(workspace, folder.path, recursive);
    if (lines.length === 0) return { message: 'The workspace is empty.' };
    const rest = more ? [`[more than ${maxEntries} entries; list a subfolder instead]`] : [];
    return { message: [...lines, ...rest].join('\n') };
  },
});

async function collect(
  workspace: WorkspaceView,
  path: string,
  recursive: boolean,
): Promise<{ lines: string[]; more: boolean }> {
  const lines: string[] = [];
  const entries = recursive ? workspace.walk(path) : await workspace.list(path, false);
  for await (const entry of entries) {
    if (lines.length === maxEntries) return { lines, more: true };
    lines.push(lineFor(entry));
  }
  return { lines, more: false };
}

function lineFor(entry: WorkspaceEntry): string {
  switch (entry.kind) {
    case 'folder':
      return `${entry.path}/`;
    case 'link':
      return `${entry.path}  [link, not followed]`;
    case 'unread':
      return `${entry.path}  [${entry.reason === 'tooBig' ? `too large to read, ${entry.bytes} bytes` : 'not readable'}]`;
    case 'file':
      return entry.binary === true ? `${entry.path}  [binary, ${entry.bytes} bytes]` : entry.path;
  }
}
