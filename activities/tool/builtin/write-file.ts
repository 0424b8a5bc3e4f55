import { z } from 'zod';
import { workspaceOf } from './files';
import { defineTool, ToolError } from '../define-tool';
import { storeFileChange, resolveWriteTarget } from './write-target';

/** Writes a whole workspace file. */
export const writeFileTool = defineTool({
  name: 'write_file',
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
