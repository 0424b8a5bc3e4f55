import { checkValue, firstIssue, isWellFormedUnicode, toWellFormedUnicode } from '../kernel';
import type { ToolDescription } from '../tool';
import {
  isToolCall,
  type ReplyBlock,
  replyBlockSchema,
  type StopReason,
  stopReasonSchema,
  type ToolCallBlock,
} from './blocks';
import type { Message } from './model-messages';
import { inputProblem, unreadableInput, unreadablePart } from './tool-input';

/** The parts of a model's answer that decide whether it can be used. */
export interface AnswerToJudge {
  readonly content: readonly ReplyBlock[];
  readonly stopReason: StopReason;
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
 * Decides whether an answer can become part of a conversation: a provider must accept it back with every later request,
 * and it must contain something to act on. What only one provider requires is the concern of its adapter. A pure
 * function: the answer is journaled before it is judged, and every later attempt at the call judges the journaled answer
 * again.
 */
export function judgeReply<Answer extends AnswerToJudge>(answer: Answer, request: RequestToJudge): Judgement<Answer> {
  const invalid = answer.content.map(problemIn).find((problem) => problem !== undefined);
  if (invalid !== undefined) return { verdict: 'unusable', reason: invalid };
  const repairs = new Set<string>();
  const content = repairedContent(answer.content, request, (repair) => repairs.add(repair));
  const stopReason = repairedStopReason(answer.stopReason, content);
  if (stopReason !== answer.stopReason) repairs.add(`took the stop reason for ${stopReason}`);
  const reason = whyUnusable(content, stopReason);
  if (reason !== undefined) return { verdict: 'unusable', reason };
  if (repairs.size === 0) return { verdict: 'usable', answer };
  return { verdict: 'repaired', answer: { ...answer, content, stopReason }, repairs: [...repairs] };
}

/** Returns why a block can't be stored; undefined if it can. A model port of a project's own may return anything. */
function problemIn(block: ReplyBlock): string | undefined {
  // The input of a call may be anything: one that can't be used is replaced.
  const { error } = checkValue(replyBlockSchema, isToolCall(block) ? { ...block, input: {} } : block);
  if (error !== undefined) {
    const { field, reason } = firstIssue(error, 'block');
    return `the model port returned an invalid block of type "${block.type}": ${field}: ${reason}`;
  }
  const part = unreadablePart(block.provider);
  return part === undefined ? undefined : `the provider data of a block has ${part}`;
}

type Note = (repair: string) => void;

function repairedContent(content: readonly ReplyBlock[], request: RequestToJudge, note: Note): readonly ReplyBlock[] {
  const ids = content.some(isToolCall) ? callIds(request.messages) : new Set<string>();
  return content.flatMap((block): readonly ReplyBlock[] => {
    switch (block.type) {
      case 'text':
        return block.text.trim() === '' ? dropped('a text block without text', note) : [repairedText(block, note)];
      case 'thinking':
        return [repairedText(block, note)];
      case 'toolCall':
        return [repairedCall(block, request, ids, note)];
      case 'opaque':
        return [block];
    }
  });
}

/** Returns the ids of all tool calls in a conversation. It is called in every turn, so it allocates nothing else. */
function callIds(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const { role, content } of messages) {
    if (role === 'assistant') for (const block of content) if (isToolCall(block)) ids.add(block.id);
  }
  return ids;
}

function dropped(what: string, note: Note): readonly ReplyBlock[] {
  note(`dropped ${what}`);
  return [];
}

function repairedText<Block extends { readonly text: string }>(block: Block, note: Note): Block {
  if (isWellFormedUnicode(block.text)) return block;
  note('replaced an unpaired surrogate in the text');
  return { ...block, text: toWellFormedUnicode(block.text) };
}

/** Form of tool names and of the ids of calls that every provider accepts. Longer ones would also fill the history. */
const validName = /^[A-Za-z0-9_-]{1,128}$/;

/** Replaces what a provider would not accept back. A call with a replaced name or input has no effect. */
function repairedCall(block: ToolCallBlock, { tools }: RequestToJudge, ids: Set<string>, note: Note): ToolCallBlock {
  const problem = inputProblem(block.input);
  if (problem !== undefined) note(`will not run a tool call: ${problem}`);
  const hasId = validName.test(block.id) && !ids.has(block.id);
  if (!hasId) note('gave a tool call another id');
  const hasName = validName.test(block.name);
  if (!hasName) note('gave a tool call another name');
  const id = hasId ? block.id : freeName('call', ids);
  ids.add(id);
  if (problem === undefined && hasId && hasName) return block;
  const name = hasName ? block.name : freeName('unknown_tool', new Set(tools.map((tool) => tool.name)));
  return { ...block, id, name, input: problem === undefined ? block.input : unreadableInput(block.input) };
}

function freeName(start: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`${start}_${number}`)) number += 1;
  return `${start}_${number}`;
}

/** Stop reasons after which the tool calls of a reply are not run. */
const incomplete: ReadonlySet<StopReason> = new Set<StopReason>([
  'outputLimit',
  'paused',
  'refused',
  'contextExceeded',
]);

function repairedStopReason(given: StopReason, content: readonly ReplyBlock[]): StopReason {
  if (incomplete.has(given)) return given;
  if (content.some(isToolCall)) return 'toolCalls';
  return checkValue(stopReasonSchema, given).data ?? 'other';
}

/** An answer without anything to act on is not a success. The rest of the engine would take it for an empty result. */
function whyUnusable(content: readonly ReplyBlock[], stopReason: StopReason): string | undefined {
  if (stopReason === 'paused') return content.length === 0 ? 'it is empty' : undefined;
  if (incomplete.has(stopReason) || content.some(isToolCall)) return undefined;
  if (stopReason === 'toolCalls') return 'it announces a tool call but has none';
  if (content.some(({ type }) => type === 'text')) return undefined;
  return content.length === 0 ? 'it is empty' : 'it has neither text nor a tool call';
}
