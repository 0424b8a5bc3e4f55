import { invalidRequest } from '../api';
import type { RequestMessage } from '../api-types';
import { validateBlock } from './blocks';
import { asArray, asObject, onlyKnown } from './parse';
import type { JsonObject } from './parse';

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
