import { invalidRequest } from '../api';
import { validateText } from './cache-control';
import { asArray, asObject, asString, isObject, type JsonObject, onlyKnown } from './parse';

const idPattern = /^[a-zA-Z0-9_-]+$/;
const toolUseFields = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name']);
const toolResultFields = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name']);
const thinkingFields = new Set(['type', 'thinking', 'signature']);
/** Block types that are accepted without checks, because no bug of the engine could show in them. */
const opaque = new Set<unknown>(['image', 'document', 'search_result', 'redacted_thinking', 'tool_reference']);

/** Checks one content block of a message. */
export function validateBlock(block: JsonObject, role: string, path: string): void {
  switch (block['type']) {
    case 'text':
      validateText(block, path, 'messages');
      return;
    case 'tool_use':
      onlyIn('assistant', role, block, path);
      validateToolUse(block, path);
      return;
    case 'tool_result':
      onlyIn('user', role, block, path);
      validateToolResult(block, path);
      return;
    case 'thinking':
      onlyIn('assistant', role, block, path);
      onlyKnown(block, thinkingFields, `${path}.`);
      asString(block['thinking'], `${path}.thinking`);
      asString(block['signature'], `${path}.signature`);
      return;
    default:
      if (opaque.has(block['type'])) return;
      throw invalidRequest(
        `${path}: Input tag '${String(block['type'])}' found using 'type' does not match any expected tag`,
      );
  }
}

function onlyIn(expected: string, role: string, block: JsonObject, path: string): void {
  if (role === expected) return;
  throw invalidRequest(`${path}: \`${String(block['type'])}\` blocks can only be in \`${expected}\` messages`);
}

function validateToolUse(block: JsonObject, path: string): void {
  onlyKnown(block, toolUseFields, `${path}.`);
  if (!idPattern.test(asString(block['id'], `${path}.id`))) {
    throw invalidRequest(`${path}.id: String should match pattern '${idPattern.source}'`);
  }
  asString(block['name'], `${path}.name`);
  if (!isObject(block['input'])) throw invalidRequest(`${path}.input: Input should be a valid dictionary`);
}

function validateToolResult(block: JsonObject, path: string): void {
  onlyKnown(block, toolResultFields, `${path}.`);
  asString(block['tool_use_id'], `${path}.tool_use_id`);
  const { is_error: isError, content } = block as { is_error?: unknown; content?: unknown };
  if (isError !== undefined && typeof isError !== 'boolean') {
    throw invalidRequest(`${path}.is_error: Input should be a valid boolean`);
  }
  if (content === undefined) {
    return;
  }
  if (typeof content === 'string') {
    // The API requires a message for an error, while an empty success is allowed.
    if (isError && content === '') throw invalidRequest(`${path}: content cannot be empty if \`is_error\` is true`);
    return;
  }
  for (const [at, value] of asArray(content, `${path}.content`).entries()) {
    const inner = asObject(value, `${path}.content.${at}`);
    if (inner['type'] === 'text') validateText(inner, `${path}.content.${at}`, 'messages');
  }
}
