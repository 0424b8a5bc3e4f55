import { type AnswerOptions, say, useTool } from '../reply/reply';
import type { Script, ScriptedCall } from '../script';

/** Options of `turns`. */
export interface TurnsOptions extends AnswerOptions {
  /** Tool to call. Default: `list_files`. */
  readonly tool?: string;
  /** Input of every call, or a function of the turn's number. */
  readonly input?: Readonly<Record<string, unknown>> | ((turn: number) => Readonly<Record<string, unknown>>);
  readonly answer?: string | ((call: ScriptedCall) => string);
}

/** Makes `count` tool calls, one per turn, then answers. */
export function turns(count: number, options: TurnsOptions = {}): Script {
  const { tool = 'list_files', input = { path: '.' }, answer = `Done after ${count} turns.`, ...rest } = options;
  return (call) => {
    if (call.turn >= count) return say(typeof answer === 'function' ? answer(call) : answer, rest);
    return useTool(tool, typeof input === 'function' ? input(call.turn) : input, rest);
  };
} /** Returns the paths in the result of a listing tool, relative to the workspace. Folders end with a slash. */
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
