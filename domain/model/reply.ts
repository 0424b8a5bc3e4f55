import { z } from 'zod';
import type { BlobRef, SpilledText } from '../store';
import type { ToolCall } from '../tool';
import { isToolCall, type ReplyBlock, type StopReason } from './blocks';
import type { Usage } from './prices';

/** The parts of a model's reply that workflow code needs. The reply itself is stored in the transcript. */
export interface ModelReply {
  /** Head of the transcript that ends with this reply. */
  readonly head: BlobRef;
  readonly stopReason: StopReason;
  readonly toolCalls: readonly ToolCall[];
  /** The text of an answer; empty for other replies. */
  readonly text: SpilledText;
  /** Length of `text` in UTF-16 code units. */
  readonly characters: number;
  /** Usage of all requests that the reply took. */
  readonly usage: Usage;
  /** Usage of the last request alone, when the reply took several. This is what fills the context window. */
  readonly lastUsage?: Usage;
  /** Name of the model that replied, as its provider reports it; omitted if it is the one that was requested. */
  readonly responseModel?: string;
}

/** A model call that was not made because it would have exceeded a limit. It cost nothing. */
export const callRefusedSchema = z.object({ notAsked: z.enum(['window', 'budget', 'unpaid']), message: z.string() });
export type CallRefused = Readonly<z.infer<typeof callRefusedSchema>>;

/** Returns true if the model was not called because of a limit. */
export function isCallRefused(reply: object): reply is CallRefused {
  return 'notAsked' in reply;
}

/** The agent loop's next action after a reply. */
export type StepAfterReply = 'answer' | 'runTools' | 'askAgain' | 'refused' | 'contextExceeded';

/** Decides how the agent loop continues after a reply, from its stop reason and tool calls. */
export function stepAfterReply(reply: {
  readonly stopReason: StopReason;
  readonly toolCalls: readonly unknown[];
}): StepAfterReply {
  switch (reply.stopReason) {
    case 'refused':
      return 'refused';
    case 'contextExceeded':
      return 'contextExceeded';
    case 'outputLimit':
    case 'paused':
      return 'askAgain';
    default:
      if (reply.toolCalls.length > 0) return 'runTools';
      // It has tool calls, but none that can be run. The model is told why.
      return reply.stopReason === 'toolCalls' ? 'askAgain' : 'answer';
  }
}

interface TranscriptEntry {
  readonly kind: string;
  readonly stopReason?: StopReason;
  readonly content?: readonly ReplyBlock[];
}

/**
 * Returns the text of the last reply, preceded by the replies that it continues because they were cut off at the output
 * limit. To a reader, these replies are one answer.
 */
export function answerText(entries: readonly TranscriptEntry[]): string {
  const texts: string[] = [];
  // From the end, because a conversation may be long and most answers are one reply.
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (entry?.kind !== 'reply') continue;
    if (texts.length > 0 && !isCutText(entry)) break;
    texts.push(textOf(entry));
  }
  return texts.reverse().join('');
}

function isCutText(reply: TranscriptEntry): boolean {
  return reply.stopReason === 'outputLimit' && reply.content?.some(isToolCall) !== true;
}

function textOf(reply: TranscriptEntry): string {
  return (reply.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');
}
