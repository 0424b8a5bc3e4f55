import { invalidRequest } from '../api';
import type { RequestMessage } from '../api-types';
import { blocksOf } from '../conversation';

/** Checks that every tool call has exactly one result, in the next message and before anything else in it. */
export function validateToolPairs(messages: readonly RequestMessage[]): void {
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const asked = toolUseIds(messages[index - 1]);
    rejectStrangers(message, index, asked);
    const wanted = toolUseIds(message);
    for (const id of wanted) {
      if (seen.has(id)) throw invalidRequest(`messages.${index}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
    rejectUnanswered(messages, index, wanted);
  }
}

function toolUseIds(message: RequestMessage | undefined): readonly string[] {
  if (message?.role !== 'assistant') return [];
  return blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function rejectStrangers(message: RequestMessage, index: number, asked: readonly string[]): void {
  const answered = new Set<string>();
  for (const [at, block] of blocksOf(message).entries()) {
    if (block.type !== 'tool_result') continue;
    const id = block.tool_use_id;
    if (!asked.includes(id)) {
      throw invalidRequest(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
    if (answered.has(id)) {
      throw invalidRequest(
        `messages.${index}.content.${at}: each tool_use must have a single result. ` +
          `Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    answered.add(id);
  }
}

function rejectUnanswered(messages: readonly RequestMessage[], index: number, wanted: readonly string[]): void {
  if (wanted.length === 0) return;
  const next = messages[index + 1];
  const blocks = next ? blocksOf(next) : [];
  const firstOther = blocks.findIndex((block) => block.type !== 'tool_result');
  const leading = firstOther < 0 ? blocks : blocks.slice(0, firstOther);
  const results = leading.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
  const missing = wanted.filter((id) => !results.includes(id));
  if (missing.length === 0) return;
  throw invalidRequest(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}
