import { isWellFormedUnicode, toWellFormedUnicode } from '../kernel';
import type { ToolDescription } from '../tool';
import type { Message } from './model-messages';
import { inputProblem, unreadableInput } from './tool-input';

/** The parts of a model's answer that decide whether it can be used. */
export interface AnswerToJudge {
  readonly content: readonly { readonly type: string }[];
  readonly stopReason: string;
}

/** The parts of a request that decide whether an answer to it can be used. */
export interface RequestToJudge {
  readonly tools: readonly ToolDescription[];
  readonly messages: readonly Message[];
}

/** What to do with an answer: use it, use a corrected copy of it, or request another one. */
export type Judgement<Answer> =
  | { readonly verdict: 'usable'; readonly answer: Answer }
  | { readonly verdict: 'repaired'; readonly answer: Answer; readonly repairs: readonly string[] }
  | { readonly verdict: 'unusable'; readonly reason: string };

/**
 * Decides whether an answer can become part of a conversation: the provider must accept it back with every later
 * request, and it must contain something to act on. A pure function: the answer is journaled before it is judged, and
 * every later attempt at the call judges the journaled answer again.
 */
export function judgeReply<Answer extends AnswerToJudge>(answer: Answer, request: RequestToJudge): Judgement<Answer> {
  const repairs = new Set<string>();
  const content = repairedContent(answer.content, request, (repair) => repairs.add(repair));
  const stopReason = repairedStopReason(answer.stopReason, content);
  if (stopReason !== answer.stopReason) repairs.add(`took the stop reason for ${stopReason}`);
  const reason = whyUnusable(content, stopReason);
  if (reason !== undefined) return { verdict: 'unusable', reason };
  if (repairs.size === 0) return { verdict: 'usable', answer };
  return { verdict: 'repaired', answer: { ...answer, content, stopReason }, repairs: [...repairs] };
}

type Block = AnswerToJudge['content'][number];
type Note = (repair: string) => void;

function repairedContent(content: readonly Block[], request: RequestToJudge, note: Note): readonly Block[] {
  const ids = new Set(request.messages.flatMap((message) => message.content.flatMap(callId)));
  return content.flatMap((block) => {
    switch (block.type) {
      case 'text':
        return repairedText(block, note);
      case 'tool_use':
        return [repairedCall(block, request, ids, note)];
      case 'thinking':
        return isSigned(block) ? [block] : dropped('thinking without a signature', note);
      case 'tool_result':
        return dropped('a tool result', note);
      default:
        return [block];
    }
  });
}

function callId(block: Block & { readonly id?: unknown }): readonly string[] {
  return block.type === 'tool_use' && typeof block.id === 'string' ? [block.id] : [];
}

function dropped(what: string, note: Note): readonly Block[] {
  note(`dropped ${what}`);
  return [];
}

function repairedText(block: Block & { readonly text?: unknown }, note: Note): readonly Block[] {
  const { text } = block;
  if (typeof text !== 'string' || text.trim() === '') return dropped('a text block without text', note);
  if (isWellFormedUnicode(text)) return [block];
  note('replaced an unpaired surrogate in the text');
  const repaired = { ...block, text: toWellFormedUnicode(text) };
  return [repaired];
}

function isSigned(block: Block & { readonly thinking?: unknown; readonly signature?: unknown }): boolean {
  const { thinking, signature } = block;
  return typeof thinking === 'string' && typeof signature === 'string' && signature !== '';
}

/** Form that the provider requires of tool names and of the ids of calls. Longer ones would also fill the history. */
const validName = /^[A-Za-z0-9_-]{1,128}$/;

/** Replaces what the provider would not accept back. A call with a replaced name or input has no effect. */
function repairedCall(
  block: Block & { readonly id?: unknown; readonly name?: unknown; readonly input?: unknown },
  { tools }: RequestToJudge,
  ids: Set<string>,
  note: Note,
): Block {
  const problem = inputProblem(block.input);
  if (problem !== undefined) note(`will not run a tool call: ${problem}`);
  const hasId = isValidName(block.id) && !ids.has(block.id);
  if (!hasId) note('gave a tool call another id');
  const hasName = isValidName(block.name);
  if (!hasName) note('gave a tool call another name');
  const id = hasId ? block.id : freeName('call', ids);
  ids.add(id);
  if (problem === undefined && hasId && hasName) return block;
  const name = hasName ? block.name : freeName('unknown_tool', new Set(tools.map((tool) => tool.name)));
  const input = problem === undefined ? block.input : unreadableInput(block.input);
  const repaired = { ...block, id, name, input };
  return repaired;
}

function isValidName(value: unknown): value is string {
  return typeof value === 'string' && validName.test(value);
}

function freeName(start: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`${start}_${number}`)) number += 1;
  return `${start}_${number}`;
}

/** Stop reasons after which the tool calls of a reply are not run. */
const incomplete: ReadonlySet<string> = new Set([
  'max_tokens',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]);

function repairedStopReason(given: string, content: readonly Block[]): string {
  if (incomplete.has(given)) return given;
  if (content.some(({ type }) => type === 'tool_use')) return 'tool_use';
  return validName.test(given) ? given : 'end_turn';
}

/** An answer without anything to act on is not a success. The rest of the engine would take it for an empty result. */
function whyUnusable(content: readonly Block[], stopReason: string): string | undefined {
  if (stopReason === 'pause_turn') return content.length === 0 ? 'it is empty' : undefined;
  if (incomplete.has(stopReason) || content.some(({ type }) => type === 'tool_use')) return undefined;
  if (stopReason === 'tool_use') return 'it announces a tool call but has none';
  if (content.some(({ type }) => type === 'text')) return undefined;
  return content.length === 0 ? 'it is empty' : 'it has neither text nor a tool call';
}
