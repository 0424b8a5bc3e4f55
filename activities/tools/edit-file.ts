import { z } from 'zod';
import { filePath, readText, textFileAt, workspaceOf } from './files';
import { defineTool, ToolError } from './tool';
import { changeTo, writeTarget } from './write-target';

/** Replaces an exact text in a workspace file. */
export const editFileTool = defineTool({
  name: 'edit_file',
  id: 'baton/edit_file@1',
  description:
    'Replaces an exact piece of text in a file of the workspace. `old_text` must occur exactly once, with the same blanks and line breaks as in the file: add lines around it until it does, or set `replace_all`. Make one call per turn for the same file.',
  parameters: z.strictObject({
    path: z.string().min(1).describe('Relative to the workspace, with / between folders'),
    old_text: z.string().min(1).describe('The text to replace, exactly as it stands in the file'),
    new_text: z.string().describe('The text to put in its place; empty to remove it'),
    replace_all: z.boolean().optional().describe('Replace every occurrence instead of the only one'),
  }),
  success: 'The text is replaced in the file from your next turn on.',
  cost: 'Free.',
  safeToRepeat: true,

  async run({ path, old_text, new_text, replace_all = false }, context) {
    const workspace = workspaceOf(context);
    const file = await textFileAt(workspace, filePath(path));
    const target = await writeTarget(workspace, file.path);
    const pieces = (await readText(workspace, file)).split(old_text);
    const found = pieces.length - 1;
    if (found === 0) throw notFound(file.path, pieces[0] ?? '', old_text);
    if (found > 1 && !replace_all) throw notUnique(file.path, found);
    const change = await changeTo(context, target, pieces.join(new_text));
    if (change === undefined) throw new ToolError('old_text and new_text are the same: nothing to change.');
    const times = found === 1 ? 'one place' : `${found} places`;
    return { message: `Changed "${file.path}" in ${times} (now ${change.bytes} bytes).`, changes: [change] };
  },
});

function notFound(path: string, text: string, wanted: string): ToolError {
  const start = `old_text does not occur in "${path}".`;
  if (text.includes('\r\n') && text.replaceAll('\r\n', '\n').includes(wanted)) {
    return new ToolError(`${start} The file has Windows line breaks: write \\r\\n in old_text and new_text.`);
  }
  return new ToolError(`${start} Read the file again, and copy the text exactly, with its blanks and line breaks.`);
}

function notUnique(path: string, found: number): ToolError {
  return new ToolError(
    `old_text occurs ${found} times in "${path}". Add lines around it so that it occurs once, or set replace_all.`,
  );
}
