import { invalidRequest } from '../api';
import type { RequestMessage } from '../api-types';
import { blocksOf } from '../conversation';
import type { ModelSpec } from '../models';
import { signThinking } from '../usage/thinking';
import type { RenderedPrompt } from '../usage/rendered-prompt';

/** Checks that thinking blocks are unchanged and follow the same conversation. */
export function validateThinking(messages: readonly RequestMessage[], prompt: RenderedPrompt): void {
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of blocksOf(message).entries()) {
      if (block.type !== 'thinking') continue;
      if (block.signature === signThinking(block.thinking, prompt.before(index, at))) continue;
      throw invalidRequest(
        `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block. ` +
          'The block was changed, or is bound to a different conversation.',
      );
    }
  }
}

/**
 * Checks that a conversation ends with a user message, unless the model paused there or accepts the start of its reply
 * from the client.
 */
export function validateEnding(messages: readonly RequestMessage[], model: ModelSpec, paused: boolean): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || paused) return;
  if (!model.prefill) {
    throw invalidRequest(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  const block = blocksOf(last).at(-1);
  if (block?.type === 'text' && block.text !== block.text.trimEnd()) {
    throw invalidRequest('messages: final assistant content cannot end with trailing whitespace');
  }
}
