import { z } from 'zod';
import { filePath, readText, textFileAt, workspaceOf } from './files';
import { defaultLines, maxLines, selectLines } from './lines';
import { defineTool } from '../define-tool';

/** Reads a workspace file. */
export const readFileTool = defineTool({
  name: 'read_file',
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
