import type { BlobRef } from '../store/blob-ref';
import type { SpilledText } from '../store/spilled';
import type { ToolCall } from '../tool/call';
import type { Usage } from './usage';

/** What workflow code learns of a reply; the reply itself stands in the transcript. */
export interface ModelReply {
  /** Head of the transcript that ends with this reply. */
  readonly head: BlobRef;
  readonly stopReason: string;
  readonly toolCalls: readonly ToolCall[];
  /** The reply's text blocks, joined. */
  readonly text: SpilledText;
  /** Of the text, in UTF-16 units. */
  readonly characters: number;
  readonly usage: Usage;
  /** Of the last request, when the reply took more than one: how much of the window is filled. */
  readonly lastUsage?: Usage;
}

/** A call that was not made, because it would have passed a limit. Nothing was paid for. */
export interface NotAsked {
  readonly notAsked: 'window' | 'budget';
  readonly message: string;
}

export function isNotAsked(reply: ModelReply | NotAsked): reply is NotAsked {
  return 'notAsked' in reply;
}

export type NextStep = 'answer' | 'runTools' | 'askAgain' | 'refused' | 'contextExceeded';

/** What the agent does after a reply. */
export function nextStep(reply: Pick<ModelReply, 'stopReason' | 'toolCalls'>): NextStep {
  switch (reply.stopReason) {
    case 'refusal':
      return 'refused';
    case 'model_context_window_exceeded':
      return 'contextExceeded';
    case 'max_tokens':
    case 'pause_turn':
      return 'askAgain';
    default:
      return reply.toolCalls.length > 0 ? 'runTools' : 'answer';
  }
}
