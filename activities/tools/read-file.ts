import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { defineTool, ToolError } from './tool';
import { insideWorkspace } from './workspace-path';

const maxFileBytes = 10 * 1024 * 1024;
const defaultLines = 1_000;

export const readFileTool = defineTool({
  name: 'read_file',
  id: 'baton/read_file@1',
  description:
    'Reads a text file of the workspace. Gives at most 1,000 lines unless you ask for another number; use `offset` to read on.',
  parameters: z.strictObject({
    path: z.string().min(1).describe('Relative to the workspace, with / between folders'),
    offset: z.int().min(1).optional().describe('First line to read, counted from 1'),
    limit: z.int().min(1).max(10_000).optional().describe('How many lines to read'),
  }),
  success: 'The lines asked for, as they stand in the file.',
  cost: 'Free; the text counts as input tokens.',
  safeToRepeat: true,

  async run({ path, offset = 1, limit = defaultLines }, context) {
    const real = await insideWorkspace(path, context);
    const found = await stat(real);
    const { size } = found;
    if (!found.isFile()) throw new ToolError(`"${path}" is not a file. Use list_files for folders.`);
    if (size > maxFileBytes) throw new ToolError(`"${path}" has ${size} bytes; at most ${maxFileBytes} can be read.`);
    const bytes = await readFile(real, { signal: context.signal });
    if (bytes.subarray(0, 8_192).includes(0)) throw new ToolError(`"${path}" is a binary file of ${size} bytes.`);
    return { message: linesOf(bytes.toString('utf8'), path, offset, limit) };
  },
});

function linesOf(text: string, path: string, offset: number, limit: number): string {
  const lines = text.split(/(?<=\n)/);
  if (offset > lines.length) throw new ToolError(`"${path}" has only ${lines.length} lines.`);
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const next = offset + shown.length;
  if (next > lines.length) return shown.join('');
  return `${shown.join('')}\n[lines ${offset} to ${next - 1} of ${lines.length}; read on with offset ${next}]`;
}
