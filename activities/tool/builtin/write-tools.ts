import { z } from 'zod';
import { filePath, readText, textFileAt, workspaceOf } from './files';
import { defineTool, ToolError } from '../define-tool';
import { storeFileChange, resolveWriteTarget } from './write-target';

/** Replaces an exact text in a workspace file. */
export const editFileTool = defineTool({
  name: 'edit_file',
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
