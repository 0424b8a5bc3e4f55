import type { ConversationCall } from '../../client/conversation/conversation';
import { formatBytes, formatCount, plural } from '../format';

/** The argument that says most about a call, by tool. */
const telling: Readonly<Record<string, readonly string[]>> = {
  list_files: ['path', 'glob'],
  read_file: ['path'],
  write_file: ['path'],
  edit_file: ['path'],
  grep: ['pattern'],
  run_command: ['command'],
  write_artifact: ['name'],
  read_artifact: ['name'],
  dispatch_subagent: ['headline', 'instructions', 'goal'],
  dispatch_skill: ['skill'],
  request_tool: ['tool', 'name'],
  find_tool: ['query'],
  ask_operator: ['question'],
  add_note: ['text'],
};

/** Fields that usually say what a call is about, for tools that are not listed. */
const usual = ['path', 'file', 'file_path', 'pattern', 'query', 'url', 'command', 'name', 'id', 'title', 'headline'];

/** The argument that matters, in one line; empty if there is none. */
export function tellingArgument({ tool, arguments: given }: ConversationCall): string {
  const fields = objectFields(given.text);
  if (fields === undefined) return cutField(given.text, [...(telling[tool] ?? []), ...usual]) ?? '';
  const agents = Object.values(fields).find((value) => Array.isArray(value));
  if (tool === 'dispatch_subagents' && agents !== undefined) return plural(agents.length, 'agent');
  const named = [...(telling[tool] ?? []), ...usual].map((name) => fields[name]).find(isFilled);
  const first = named ?? Object.values(fields).find(isFilled);
  const where = tool === 'grep' && isFilled(fields['path']) ? ` in ${fields['path']}` : '';
  if (first === undefined) return '';
  return oneLine(tool === 'grep' ? `"${first}"${where}` : first);
}

/** Summarizes the result of a call in a few words. */
export interface CallOutcome {
  readonly state: 'running' | 'done' | 'failed';
  readonly words: string;
}

export function callOutcome(call: ConversationCall): CallOutcome {
  const { result } = call;
  if (result === null) return { state: 'running', words: 'running' };
  if (result.isError) return { state: 'failed', words: errorLine(result.text) };
  if (call.tool === 'edit_file') return { state: 'done', words: editSize(call.arguments.text) ?? 'edited' };
  return { state: 'done', words: resultSize(result.text, result.whole?.bytes) };
}

function resultSize(text: string, wholeBytes: number | undefined): string {
  if (wholeBytes !== undefined) return formatBytes(wholeBytes);
  const trimmed = text.trim();
  if (trimmed === '') return 'empty';
  const lines = trimmed.split('\n').length;
  if (lines > 1) return plural(lines, 'line');
  return trimmed.length <= 60 && !/^[[{]/.test(trimmed) ? trimmed : formatBytes(new TextEncoder().encode(text).length);
}

/** The first line of an error. Errors that are JSON have it in a field. */
function errorLine(text: string): string {
  const fields = objectFields(text);
  const message = [fields?.['message'], fields?.['error']].find(isFilled) ?? text;
  return oneLine(message) === '' ? 'failed' : oneLine(message);
}

/** Lines that an edit adds and removes, such as `+4 −1`. */
function editSize(json: string): string | undefined {
  const fields = objectFields(json) ?? {};
  const before = [fields['old_text'], fields['old'], fields['old_string'], fields['find']].find(isText);
  const after = [fields['new_text'], fields['new'], fields['new_string'], fields['replace']].find(isText);
  if (before === undefined || after === undefined) return undefined;
  const [old, now] = [lineList(before), lineList(after)];
  const kept = commonEnds(old, now);
  return `+${formatCount(now.length - kept)} −${formatCount(old.length - kept)}`;
}

function commonEnds(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return start + end;
}

function lineList(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Finds a field in JSON of which only the beginning is there. */
function cutField(json: string, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.){1,300})`).exec(json)?.[1];
    if (found !== undefined) return oneLine(found.replace(/\\n/g, ' ').replace(/\\(.)/g, '$1'));
  }
  return undefined;
}

function objectFields(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** First line with text, at most 300 characters: the style cuts it where the row ends. */
function oneLine(text: string): string {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.trim().slice(0, 300);
}
