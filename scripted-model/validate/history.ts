import { invalidRequest } from '../api-error';
import type { RequestMessage } from '../api-types';
import { blocksOf } from '../conversation';
import type { ModelSpec } from '../models';
import { signThinking } from '../thinking';
import type { RenderedPrompt } from '../usage/rendered-prompt';

/** Thinking must come back as it was given, and behind the same conversation. */
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

/** A conversation ends with the user, unless the model paused there or takes the beginning of its answer from the client. */
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
