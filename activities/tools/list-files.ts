import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool, ToolError } from './tool';
import { insideWorkspace, isSecretName } from './workspace-path';

const maxEntries = 1_000;

export const listFilesTool = defineTool({
  name: 'list_files',
  id: 'baton/list_files@1',
  description: 'Lists a folder of the workspace, sorted by name. Folders end in /. Gives at most 1,000 entries.',
  parameters: z.strictObject({
    path: z.string().min(1).optional().describe('Folder relative to the workspace; the whole workspace when left out'),
    recursive: z.boolean().optional().describe('Also list what is inside its folders'),
  }),
  success: 'One path a line, relative to the workspace.',
  cost: 'Free; the text counts as input tokens.',
  safeToRepeat: true,

  async run({ path = '.', recursive = false }, context) {
    const real = await insideWorkspace(path, context);
    const found: string[] = [];
    await collect(real, path === '.' ? '' : `${path.replace(/\/+$/, '')}/`, recursive, found);
    if (found.length === 0) return { message: `"${path}" is empty.` };
    const shown = found.slice(0, maxEntries);
    const more = found.length > maxEntries ? [`[more than ${maxEntries} entries: list a folder further down]`] : [];
    return { message: [...shown, ...more].join('\n') };
  },
});

/** Links are listed but not followed, so that a loop can't be. */
async function collect(folder: string, prefix: string, recursive: boolean, found: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ToolError(
      error.code === 'ENOTDIR' ? 'That is not a folder. Use read_file for files.' : `Not readable: ${error.code}`,
    );
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (found.length > maxEntries) return;
    if (isSecretName(entry.name)) continue;
    found.push(`${prefix}${entry.name}${entry.isDirectory() ? '/' : ''}`);
    if (recursive && entry.isDirectory() && entry.name !== 'node_modules') {
      await collect(join(folder, entry.name), `${prefix}${entry.name}/`, true, found);
    }
  }
}
