import type {
  ConversationCall,
  ConversationEntry,
  ConversationMark,
  ConversationMessage,
  ConversationTurn,
  PartialReply,
} from '../../client/conversation/conversation';
import { formatCompact, formatDuration, plural } from '../../client/format';
import { abbreviateId } from '../../domain/kernel';
import { formatUsd } from '../../domain/model';
import { cutLine, type Line, type Style } from '../screen/style';
import { displayWidth } from '../screen/width';
import { foldText } from './fold-text';

/** How entries are shown. */
export interface EntryStyle {
  readonly columns: number;
  /** Whether long texts are shown as a whole. */
  readonly full: boolean;
  /** What the user typed to name the agent, for commands to copy. */
  readonly target: string;
  /** Whether times are shown in UTC. */
  readonly utc: boolean;
}

/** Maximum lines of a text, unless all are shown. */
const maxLines = { text: 24, thinking: 6, message: 12, arguments: 8, result: 8 } as const;
type Kind = keyof typeof maxLines;

/** Returns the lines of an entry. */
export function entryLines(entry: ConversationEntry, style: EntryStyle): readonly Line[] {
  if (entry.kind === 'turn')
    return [
      ...turnLines(entry, style),
      ...entry.calls.flatMap((call) => [...callLines(entry, call, style), ...resultLines(entry, call, style)]),
    ];
  return entry.kind === 'message' ? messageLines(entry, style) : markLines(entry, style);
}

/** Returns the lines of a turn without its calls: what the model thought and said. */
export function turnLines(turn: ConversationTurn, style: EntryStyle): readonly Line[] {
  return [
    ...turnHeader(turn, style),
    ...turn.thinking.flatMap(({ text }) =>
      textLines(text, { kind: 'thinking', turn, indent: 4, look: 'quiet' }, style),
    ),
    ...turn.text.flatMap(({ text }) => textLines(text, { kind: 'text', turn, indent: 2 }, style)),
  ];
}

/** Returns the header of a turn. Facts that don't fit the screen are in further lines. */
function turnHeader(turn: ConversationTurn, style: EntryStyle): readonly Line[] {
  const label = `turn ${turn.turn}`;
  const lines: string[] = [];
  let current = label;
  for (const fact of turnFacts(turn, style)) {
    const longer = `${current} · ${fact}`;
    if (displayWidth(longer) > style.columns) lines.push(current);
    current = displayWidth(longer) > style.columns ? `  ${fact}` : longer;
  }
  const [first, ...more] = [...lines, current];
  const header: Line = [strong(label), quiet(first.slice(label.length))];
  return [header, ...more.map((line): Line => [quiet(line)])].map((line) => cutLine(line, style.columns));
}

/** Formats the tokens of a call: those that were sent, how many of them came from the provider's cache, and the reply. */
function tokenText({ input, cacheRead, cacheWrite, output, estimated }: ConversationTurn['usage']): string {
  const cached = cacheRead === 0 ? '' : ` (${formatCompact(cacheRead)} cached)`;
  const sent = `${estimated === true ? 'about ' : ''}${formatCompact(input + cacheRead + cacheWrite)} tokens in`;
  return `${sent}${cached}, ${formatCompact(output)} out`;
}

function turnFacts(turn: ConversationTurn, style: EntryStyle): readonly string[] {
  const { tookMs, usage, microUsd, attempts, stopReason, replaced, model } = turn;
  const isUsual = stopReason === 'done' || stopReason === 'toolCalls';
  return [
    ...clock(turn.startedAt ?? turn.at, style),
    ...(tookMs === null ? [] : [milliseconds(tookMs)]),
    tokenText(usage),
    ...(microUsd === null ? [] : [formatUsd(microUsd)]),
    ...(attempts !== null && attempts > 1 ? [plural(attempts, 'attempt')] : []),
    ...(isUsual ? [] : [stopReason]),
    ...(replaced === undefined ? [] : [`taken back by a reset, version ${replaced}`]),
    model,
  ];
}

/** Returns the lines of a call without its result. */
export function callLines(turn: ConversationTurn, call: ConversationCall, style: EntryStyle): readonly Line[] {
  const { tool, arguments: input, result, tookMs, delegations = [] } = call;
  const isError = result?.isError === true;
  const mark = isError ? bad('✗ ') : result === null ? active('… ') : good('→ ');
  const took = tookMs === null ? '' : `  ${milliseconds(tookMs)}`;
  const short = input.text.length + tool.length + took.length + 5 <= style.columns && input.whole === undefined;
  return [
    ['  ', mark, strong(tool), ...(short ? [` ${input.text}`] : []), quiet(took)],
    ...(short ? [] : textLines(argumentsText(input.text), { kind: 'arguments', turn, indent: 6 }, style)),
    ...delegationLines(delegations, style),
  ];
}

function delegationLines(delegations: readonly string[], { target, columns }: EntryStyle): readonly Line[] {
  const [first] = delegations;
  if (first === undefined) return [];
  const run = target.replace(/^run\//, '').split('/', 1)[0] ?? '';
  const names = delegations.map(abbreviateId).join(', ');
  const command = `baton transcript ${run}/${abbreviateId(first)}`;
  return [
    cutLine(['      ', quiet(`${plural(delegations.length, 'delegation')}: ${names}`)], columns),
    ['      ', quiet(command)],
  ];
}

/** Returns the lines of a call's result; none while it has none. */
export function resultLines(turn: ConversationTurn, { result }: ConversationCall, style: EntryStyle): readonly Line[] {
  if (result === null) return [];
  const look = result.isError ? 'bad' : undefined;
  return textLines(result.text === '' ? '(empty)' : result.text, { kind: 'result', turn, indent: 4, look }, style);
}

function messageLines({ from, at, text }: ConversationMessage, style: EntryStyle): readonly Line[] {
  const who = { opening: 'first message', engine: 'from the engine', operator: 'from an operator' }[from];
  const facts = clock(at, style).map((time) => ` · ${time}`);
  return [
    [{ text: who, style: from === 'operator' ? 'attention' : 'strong' }, quiet(facts.join(''))],
    ...textLines(text.text, { kind: 'message', indent: 2 }, style),
  ];
}

function markLines({ kind, at, text }: ConversationMark, style: EntryStyle): readonly Line[] {
  const time = clock(at, style).map((one) => ` · ${one}`);
  return [
    [attention(kind), quiet(time.join(''))],
    ...foldText(text, style.columns - 2, Number.POSITIVE_INFINITY).lines.map((line): Line => ['  ', line]),
  ];
}

/** Returns the end of what the model is saying, in a few lines. */
export function speakingLines(reply: PartialReply, { columns }: EntryStyle, rows: number): readonly Line[] {
  const { turn, thinking, text, calling } = reply;
  const said = text === '' ? thinking : text;
  const lines = foldText(said, columns - 3, Number.POSITIVE_INFINITY).lines.slice(-rows);
  const calls = calling.length === 0 ? '' : ` · calls ${calling.join(', ')}`;
  const what = text === '' ? 'thinking' : 'speaking';
  const elapsed = formatDuration(Math.max(0, Date.now() - Date.parse(reply.startedAt)));
  return [
    cutLine([active(`turn ${turn}`), quiet(` · ${what} · ${elapsed}${calls}`)], columns - 1),
    ...lines.map((line): Line => ['  ', text === '' ? quiet(line) : line]),
  ];
}

interface TextPlace {
  readonly kind: Kind;
  readonly indent: number;
  readonly turn?: ConversationTurn;
  readonly look?: Style | undefined;
}

function textLines(text: string, { kind, indent, turn, look }: TextPlace, style: EntryStyle): readonly Line[] {
  const room = Math.max(20, style.columns - indent);
  const { lines, hidden } = foldText(text, room, style.full ? Number.POSITIVE_INFINITY : maxLines[kind]);
  const margin = ' '.repeat(indent);
  const shown = lines.map((line): Line => [margin, look === undefined ? line : { text: line, style: look }]);
  if (hidden === 0) return shown;
  const which = turn === undefined ? '' : ` --turn ${turn.turn}`;
  const how = `… ${plural(hidden, 'more line')}: baton transcript ${style.target}${which} --full`;
  return [...shown, ...foldText(how, room, Number.POSITIVE_INFINITY).lines.map((line): Line => [margin, quiet(line)])];
}

/** Arguments with one line per field, in which texts have their line breaks. */
function argumentsText(json: string): string {
  const value = parsed(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return json;
  return Object.entries(value)
    .map(([name, field]) => {
      if (typeof field !== 'string') return `${name}: ${JSON.stringify(field)}`;
      return field.includes('\n') ? `${name}:\n${field.replace(/^/gm, '  ')}` : `${name}: ${field}`;
    })
    .join('\n');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function clock(at: string | null, { utc }: EntryStyle): readonly string[] {
  if (at === null) return [];
  if (utc) return [at];
  const time = new Date(at);
  return [[time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => `${part}`.padStart(2, '0')).join(':')];
}

function milliseconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : formatDuration(ms);
}

function span(style: Style): (text: string) => { readonly text: string; readonly style: Style } {
  return (text) => ({ text, style });
}

const strong = span('strong');
const quiet = span('quiet');
const good = span('good');
const bad = span('bad');
const active = span('active');
const attention = span('attention');
