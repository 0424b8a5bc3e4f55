import { z } from 'zod';
import type { WorkspaceEntry, WorkspaceFile, WorkspaceView } from '../../domain/workspace/view';
import { entryAt, folderPath, textFileAt, workspaceOf } from './files';
import { globFilter } from './glob';
import { compilePattern } from './grep-pattern';
import { maxSearchedLength, searchFiles, type Findings } from './grep-search';
import { defineTool } from './tool';

const defaultMatches = 100;
const maxMatches = 500;

/** Searches workspace files with a regular expression. */
export const grepTool = defineTool({
  name: 'grep',
  id: 'baton/grep@1',
  description:
    'Searches the text files of the workspace, line by line, with a regular expression (RE2 syntax: no look-around, no back-references). The quickest way to find where something is; then read that part with read_file.',
  parameters: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .describe('Regular expression; escape . ( ) [ ] { } * + ? | ^ $ \\ to search for themselves'),
    path: z.string().min(1).optional().describe('File or folder to search; the whole workspace when left out'),
    glob: z
      .string()
      .min(1)
      .optional()
      .describe('Only files like this: *.ts, src/**/*.{ts,tsx}; with ! in front: all others'),
    ignore_case: z.boolean().optional(),
    max_matches: z
      .int()
      .min(1)
      .max(maxMatches)
      .optional()
      .describe(`How many lines to give; ${defaultMatches} when left out`),
  }),
  success: 'One matching line each, as path:line: text, sorted by path.',
  cost: 'Free; up to some seconds in a large workspace. The text counts as input tokens.',
  safeToRepeat: true,

  async run({ pattern, path = '.', glob, ignore_case = false, max_matches = defaultMatches }, context) {
    const workspace = workspaceOf(context);
    const matches = compilePattern(pattern, ignore_case);
    const start = await entryAt(workspace, folderPath(path));
    const files = textFiles(workspace, start, glob === undefined ? () => true : globFilter(glob));
    const found = await searchFiles(workspace, files, matches, { maxMatches: max_matches, signal: context.signal });
    return { message: report(found, max_matches) };
  },
});

async function* textFiles(
  workspace: WorkspaceView,
  start: WorkspaceEntry,
  wanted: (path: string) => boolean,
): AsyncGenerator<WorkspaceFile> {
  if (start.kind !== 'folder') {
    yield await textFileAt(workspace, start.path);
    return;
  }
  for await (const entry of workspace.walk(start.path)) {
    if (entry.kind === 'file' && entry.binary !== true && wanted(entry.path)) yield entry;
  }
}

function report({ lines, files, more, outOfTime, cutLines }: Findings, max: number): string {
  const notes = [
    ...(lines.length === 0 ? [`No match in ${files} ${files === 1 ? 'file' : 'files'}.`] : []),
    ...(more ? [`[more than ${max} matches: narrow the pattern, the path or the glob]`] : []),
    ...(outOfTime ? [`[stopped after ${files} files, because it took too long: search a smaller folder]`] : []),
    ...(cutLines ? [`[of very long lines only the first ${maxSearchedLength} characters were searched]`] : []),
  ];
  return [...lines, ...notes].join('\n');
}
