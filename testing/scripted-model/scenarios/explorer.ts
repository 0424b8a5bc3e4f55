import { type AnswerOptions, say, type ScriptedReply, useTool } from '../reply';
import type { Script, ToolExchange } from '../script';

/** Options of `explorer`. */
export interface ExplorerOptions extends AnswerOptions {
  /** Number of files to read, one per turn. Default: 4. */
  readonly files?: number;
  /** Number of subfolders to list. Default: 2. */
  readonly folders?: number;
}

/** Lists a folder, reads some of its files, one per turn, and answers with a report. */
export function explorer({ files = 4, folders = 2, ...pace }: ExplorerOptions = {}): Script {
  return (call): ScriptedReply => {
    const done = call.toolExchanges;
    const lists = done.filter((exchange) => exchange.name === 'list_files');
    const reads = done.filter((exchange) => exchange.name === 'read_file');
    if (lists.length === 0) return useTool('list_files', { path: '.' }, { ...pace, text: 'I will look around first.' });

    const found = lists.flatMap((list) => (succeeded(list) ? pathsInListing(pathOf(list), list.result.text) : []));
    const folder = found.find((path) => isFolder(path) && !isForeign(path) && !asked(lists, path));
    if (folder !== undefined && lists.length <= folders) {
      return useTool('list_files', { path: withoutSlash(folder) }, { ...pace, text: `There is a folder ${folder}` });
    }
    const file = byInterest(found).find((path) => !asked(reads, path));
    if (file !== undefined && reads.length < files) {
      return useTool('read_file', { path: file }, { ...pace, text: `Next I read ${file}.` });
    }
    return say(inRequiredForm(call.systemText, report(found, reads)), pace);
  };
}

/** Puts an answer into the form that agents have to use if their prompt or skill defines no other. */
function inRequiredForm(systemText: string, text: string): string {
  if (!/<response>\s*<answer>/.test(systemText)) return text;
  return `<response><answer>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</answer></response>`;
}

function report(found: readonly string[], reads: readonly ToolExchange[]): string {
  const count = found.filter((path) => !isFolder(path)).length;
  const lines = reads.map((read) => `- ${pathOf(read)}: ${summary(read)}`);
  return [`I found ${plural(count, 'file')} and read ${reads.length} of them.`, ...lines].join('\n');
}

function summary({ result }: ToolExchange): string {
  const lines = (result?.text ?? '').split('\n').filter((line) => line.trim() !== '');
  if (result?.isError) return `could not be read (${lines[0] ?? 'no reason given'})`;
  const first = (lines[0] ?? 'nothing in it').replace(/^#+\s*/, '').slice(0, 100);
  return `${plural(lines.length, 'line')}, beginning with "${first}"`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Sorts readmes first, because they are the most informative, and keeps the listed order otherwise. */
function byInterest(paths: readonly string[]): string[] {
  const files = paths.filter((path) => !isFolder(path));
  const isReadme = (path: string): boolean => /(^|\/)readme/i.test(path);
  return [...files.filter(isReadme), ...files.filter((path) => !isReadme(path))];
}

function succeeded(exchange: ToolExchange): exchange is ToolExchange & { result: NonNullable<ToolExchange['result']> } {
  return exchange.result !== undefined && !exchange.result.isError;
}

function asked(exchanges: readonly ToolExchange[], path: string): boolean {
  return exchanges.some((exchange) => pathOf(exchange) === withoutSlash(path));
}

function pathOf({ input }: ToolExchange): string {
  const path = (input as { path?: unknown } | null)?.path;
  return typeof path === 'string' ? path : '.';
}

/** Whether a folder is hidden or contains installed packages, which say little about a project. */
function isForeign(path: string): boolean {
  return /(^|\/)(\.[^/]+|node_modules)\/$/.test(path);
}

function isFolder(path: string): boolean {
  return path.endsWith('/');
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}

/** Returns the paths in the result of a listing tool, relative to the workspace. Folders end with a slash. */
export function pathsInListing(folder: string, text: string): string[] {
  return [...new Set(entriesOf(text).map((entry) => underFolder(folder, entry)))].filter((path) => path !== '');
}

/** Parses JSON, otherwise one entry per line. Text after two spaces, a tab or a bracket is a remark, such as a size. */
function entriesOf(text: string): string[] {
  return fromJson(text) ?? text.split('\n').flatMap((line) => entryOfLine(line.trim()));
}

function entryOfLine(line: string): string[] {
  const entry =
    line
      .replace(/^[-*•]\s+/, '')
      .split(/\t| {2,}| \(| \[/, 1)[0]
      ?.trim() ?? '';
  // Headings and remarks contain spaces or end with a colon; file names in the demo's workspace do not.
  return entry === '' || /\s|:$/.test(entry) ? [] : [entry];
}

function fromJson(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return stringsIn(value);
  } catch {
    return undefined;
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { path, name, entries, files } = value as Record<string, unknown>;
  return stringsIn(path ?? name ?? entries ?? files ?? []);
}

/** Tools may list paths relative to the workspace or to the requested folder. */
function underFolder(folder: string, entry: string): string {
  const clean = entry.replace(/^\.\//, '');
  const base = folder.replace(/^\.\/?/, '').replace(/\/$/, '');
  return base === '' || clean.startsWith(`${base}/`) ? clean : `${base}/${clean}`;
}
