import { z } from 'zod';
import type { WorkspaceEntry, WorkspaceView } from '../../../domain/workspace/view';
import { entryAt, folderPath, workspaceOf } from './files';
import { defineTool, ToolError } from '../define-tool';

const maxEntries = 1_000;

/** Lists a workspace folder. */
export const listFilesTool = defineTool({
  name: 'list_files',
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
