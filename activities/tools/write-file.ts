import { z } from 'zod';
import { workspaceOf } from './files';
import { defineTool, ToolError } from './tool';
import { changeTo, writeTarget } from './write-target';

/** Writes a whole workspace file. */
export const writeFileTool = defineTool({
  name: 'write_file',
  id: 'baton/write_file@1',
  description:
    'Creates a text file in the workspace, or replaces its whole content. Folders on the way are made. To change a part of a file, use edit_file.',
  parameters: z.strictObject({
    path: z.string().min(1).describe('Relative to the workspace, with / between folders'),
    content: z.string().describe('The whole content of the file, as it should be'),
  }),
  success: 'The file has exactly the given content from your next turn on.',
  cost: 'Free.',
  safeToRepeat: true,

  async run({ path, content }, context) {
    const target = await writeTarget(workspaceOf(context), path);
    if (context.unseen?.includes(target.path) === true) {
      throw new ToolError(
        `"${target.path}" was changed by somebody else since you last read it. Read it again, then write it with their changes.`,
      );
    }
    const change = await changeTo(context, target, content);
    if (change === undefined) return { message: `"${target.path}" has this content already.` };
    const done = target.file === undefined ? 'Created' : 'Replaced';
    return { message: `${done} "${target.path}" (${change.bytes} bytes).`, changes: [change] };
  },
});
