import ignore from 'ignore';
import { z } from 'zod';
import { builtInToolNames } from '../../../domain/tool';
import type { WorkspaceEntry, WorkspaceFile, WorkspaceView } from '../../../domain/workspace';
import { defineTool, ToolError } from '../define-tool';
import { entryAt, folderPath, textFileAt, workspaceOf } from './files';
import { compilePattern, maxSearchedLength, searchFiles, type SearchResult } from './grep-search';

const defaultMatches = 100;
const maxMatches = 500;

/** Searches workspace files with a regular expression. */
export const grepTool = defineTool({
  name: builtInToolNames.grep,
  id: 'baton/grep@1',
  description:
    "Searches the workspace's text files line by line with a regular expression (RE2 syntax: no lookaround, no backreferences). Use it to locate something, then read that part with read_file.",
  parameters: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .describe('Regular expression. Escape . ( ) [ ] { } * + ? | ^ $ \\ with a backslash to match them literally'),
    path: z.string().min(1).optional().describe('File or folder to search; default: the whole workspace'),
    glob: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Only search files that match this glob, such as *.ts or src/**/*.{ts,tsx}; prefix it with ! to exclude',
      ),
    ignore_case: z.boolean().optional(),
    max_matches: z
      .int()
      .min(1)
      .max(maxMatches)
      .optional()
      .describe(`Maximum number of matching lines; default ${defaultMatches}`),
  }),
  success: 'The matching lines as path:line: text, sorted by path.',
  cost: 'Free; can take a few seconds in a large workspace. The output counts as input tokens.',
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

function report({ lines, files, more, outOfTime, cutLines }: SearchResult, max: number): string {
  const notes = [
    ...(lines.length === 0 ? [`No matches in ${files} ${files === 1 ? 'file' : 'files'}.`] : []),
    ...(more ? [`[more than ${max} matches; narrow the pattern, the path or the glob]`] : []),
    ...(outOfTime ? [`[stopped after ${files} files: the search took too long; search a smaller folder]`] : []),
    ...(cutLines ? [`[only the first ${maxSearchedLength} characters of very long lines were searched]`] : []),
  ];
  return [...lines, ...notes].join('\n');
}

const maxLength = 200;
const maxDoubleStars = 4;
const maxAlternatives = 50;

/**
 * Compiles a filter such as "*.ts", "src/**" or "!*.{test,spec}.ts", with the rules of git and ripgrep. Every "**"
 * multiplies the ways in which a path can match, so their number is limited.
 */
export function globFilter(glob: string): (path: string) => boolean {
  if (glob.length > maxLength) throw new ToolError(`The glob is longer than ${maxLength} characters.`);
  if (glob.split('**').length - 1 > maxDoubleStars)
    throw new ToolError(`The glob has more than ${maxDoubleStars} "**".`);
  const excluding = glob.startsWith('!');
  const patterns = expandBraces(excluding ? glob.slice(1) : glob);
  const matcher = ignore({ ignorecase: false }).add(patterns.map((pattern) => pattern.replace(/^[!#]/, '\\$&')));
  return (path) => matcher.ignores(path) !== excluding;
}

/** "a.{ts,tsx}" becomes "a.ts" and "a.tsx"; git itself does not support braces. */
function expandBraces(glob: string): string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob);
  if (match === null) return [glob];
  const [, before = '', inside = '', after = ''] = match;
  const expanded = inside.split(',').flatMap((choice) => expandBraces(`${before}${choice}${after}`));
  if (expanded.length > maxAlternatives)
    throw new ToolError(`The glob expands to more than ${maxAlternatives} patterns.`);
  return expanded;
}
