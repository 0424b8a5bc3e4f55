import type { BlobRef } from '../store/blob-ref';
import type { SpilledText } from '../store/spilled';
import type { ToolCall } from '../tool/call';
import type { Usage } from './usage';

/** The parts of a model's reply that workflow code needs. The reply itself is stored in the transcript. */
export interface ModelReply {
  /** Head of the transcript that ends with this reply. */
  readonly head: BlobRef;
  readonly stopReason: string;
  readonly toolCalls: readonly ToolCall[];
  /** The reply's text blocks, joined. */
  readonly text: SpilledText;
  /** Length of `text` in UTF-16 code units. */
  readonly characters: number;
  /** Usage of all requests that the reply took. */
  readonly usage: Usage;
  /** Usage of the last request alone, when the reply took several. This is what fills the context window. */
  readonly lastUsage?: Usage;
}

/** A model call that was not made because it would have exceeded a limit. It cost nothing. */
export interface CallRefused {
  readonly notAsked: 'window' | 'budget';
  readonly message: string;
}

/** Returns true if the model was not called because of a limit. */
export function isCallRefused(reply: ModelReply | CallRefused): reply is CallRefused {
  return 'notAsked' in reply;
}

/** The agent loop's next action after a reply. */
export type StepAfterReply = 'answer' | 'runTools' | 'askAgain' | 'refused' | 'contextExceeded';

/** Decides how the agent loop continues after a reply, from its stop reason and tool calls. */
export function stepAfterReply(reply: Pick<ModelReply, 'stopReason' | 'toolCalls'>): StepAfterReply {
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
