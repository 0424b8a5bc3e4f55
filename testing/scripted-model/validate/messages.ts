import { blocksOf, invalidRequest, type RequestMessage } from '../api';
import type { ModelSpec } from '../models';
import { type RenderedPrompt, signThinking } from '../prompt-usage';
import { validateBlock } from './blocks';
import { asArray, asObject, type JsonObject, onlyKnown } from './parse';

const messageFields = new Set(['role', 'content']);
const roles = new Set<unknown>(['user', 'assistant', 'system']);

/** Checks the messages of a request. */
export function validateMessages(value: unknown): readonly RequestMessage[] {
  const messages = asArray(value, 'messages').map((message, index) => asObject(message, `messages.${index}`));
  if (messages.length === 0) throw invalidRequest('messages: at least one message is required');
  for (const [index, message] of messages.entries()) validateMessage(message, index);
  if (messages[0]?.['role'] !== 'user') throw invalidRequest('messages: first message must use the "user" role');
  return messages as unknown as readonly RequestMessage[];
}

function validateMessage(message: JsonObject, index: number): void {
  const path = `messages.${index}`;
  onlyKnown(message, messageFields, `${path}.`);
  const { role, content } = message as { role: unknown; content: unknown };
  if (!roles.has(role)) throw invalidRequest(`${path}.role: Input should be 'user' or 'assistant'`);
  if (typeof content === 'string') {
    validateBlock({ type: 'text', text: content }, String(role), path);
    return;
  }
  const blocks = asArray(content, `${path}.content`);
  if (blocks.length === 0) throw invalidRequest(`${path}: ${String(role)} messages must have non-empty content`);
  for (const [at, value] of blocks.entries()) {
    const blockPath = `${path}.content.${at}`;
    validateBlock(asObject(value, blockPath), String(role), blockPath);
  }
}

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
