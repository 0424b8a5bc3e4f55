import { isWellFormedUnicode, toWellFormedUnicode } from '../kernel';
import { maxToolCallsPerReply } from '../tool';
import { isToolCall, type ReplyBlock, type StopReason } from './blocks';

/** Maximum nesting of a tool call's input. Deeper values overflow the stack of code that reads them recursively. */
const maxDepth = 100;

/**
 * Returns why a value cannot be recorded and sent back exactly as it is, in words that follow "it has"; undefined if it
 * can. Walks the value without recursion, because nothing is known about its depth.
 */
export function unreadablePart(value: unknown): string | undefined {
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: part, depth } = next;
    if (typeof part === 'number' && !Number.isFinite(part)) return 'a number that is out of range';
    if (typeof part === 'string' && !isWellFormedUnicode(part)) return 'an unpaired surrogate';
    if (typeof part !== 'object' || part === null) continue;
    if (depth === maxDepth) return `more than ${maxDepth} levels`;
    for (const [key, inner] of Object.entries(part)) {
      if (!isWellFormedUnicode(key)) return 'an unpaired surrogate';
      pending.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}

/** Why the input of a tool call cannot be used; undefined if it can. */
export function inputProblem(input: unknown): string | undefined {
  if (typeof input === 'string') return 'its input is not complete JSON';
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return 'its input is not an object';
  const part = unreadablePart(input);
  return part === undefined ? undefined : `its input has ${part}`;
}

/** The only field of the input that replaces one that cannot be used. Its value is what the model wrote. */
const unreadableField = 'unreadable_input';

/** Returns an input that the provider accepts in place of one that cannot be used. A call with it is never run. */
export function unreadableInput(input: unknown): Readonly<Record<string, string>> {
  return { [unreadableField]: toWellFormedUnicode(typeof input === 'string' ? input : writtenForm(input)) };
}

function writtenForm(input: unknown): string {
  try {
    return JSON.stringify(input ?? null);
  } catch {
    return '(nested too deeply)';
  }
}

/** Whether an input replaces one that could not be used. */
export function isUnreadableInput(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).join() === unreadableField;
}

/** A reply, reduced to what decides which of its tool calls are run. */
interface ReplyWithCalls {
  readonly stopReason: StopReason;
  readonly content: readonly ReplyBlock[];
}

/** Explains to the model why a tool call of its reply has no result. */
export function whyNotRun({ stopReason, content }: ReplyWithCalls, callId: string): string {
  const call = content.filter(isToolCall).find(({ id }) => id === callId);
  if (stopReason === 'paused') return 'Not run: your reply was paused. Call the tool again if it is still needed.';
  if (isUnreadableInput(call?.input)) {
    return 'Not run: the input is not a complete JSON object with readable values. Call the tool again with its whole input.';
  }
  return `Not run: at most ${maxToolCallsPerReply} tool calls run per reply. Call the tool again in your next reply.`;
}
