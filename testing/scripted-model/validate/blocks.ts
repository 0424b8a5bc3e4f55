import { invalidRequest } from '../api';
import { asArray, asObject, asString, isObject, type JsonObject, namePattern, onlyKnown } from './parse';

const maxBreakpoints = 4;
const textFields = new Set(['type', 'text', 'cache_control', 'citations']);
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
  if (!namePattern.test(asString(block['name'], `${path}.name`))) {
    throw invalidRequest(`${path}.name: String should match pattern '${namePattern.source}'`);
  }
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

/** Checks the system prompt. */
export function validateSystem(system: unknown): void {
  if (system === undefined || typeof system === 'string') return;
  for (const [index, value] of asArray(system, 'system').entries()) {
    const path = `system.${index}`;
    const block = asObject(value, path);
    if (block['type'] !== 'text') throw invalidRequest(`${path}.type: Input should be 'text'`);
    validateText(block, path, 'system');
  }
}

/** Checks a text block. */
function validateText(block: JsonObject, path: string, area: string): void {
  onlyKnown(block, textFields, `${path}.`);
  const text = asString(block['text'], `${path}.text`);
  if (text === '') throw invalidRequest(`${area}: text content blocks must be non-empty`);
  if (text.trim() === '') throw invalidRequest(`${area}: text content blocks must contain non-whitespace text`);
}

/** Checks the number, form and position of cache breakpoints. */
export function validateCacheControl(request: JsonObject): void {
  const marked = [request, ...blocksIn(request)].filter((block) => (block['cache_control'] ?? null) !== null);
  for (const block of marked) {
    validateMark(block['cache_control']);
    if (block['type'] === 'thinking') throw invalidRequest('cache_control cannot be set for thinking blocks');
  }
  if (marked.length > maxBreakpoints) {
    const found = `Found ${marked.length}.`;
    throw invalidRequest(`A maximum of ${maxBreakpoints} blocks with cache_control may be provided. ${found}`);
  }
}

function validateMark(mark: unknown): void {
  if (!isObject(mark) || mark['type'] !== 'ephemeral')
    throw invalidRequest("cache_control.type: Input should be 'ephemeral'");
  const { ttl } = mark as { ttl?: unknown };
  if (ttl !== undefined && ttl !== '5m' && ttl !== '1h')
    throw invalidRequest("cache_control.ttl: Input should be '5m' or '1h'");
}

function blocksIn({ tools, system, messages }: JsonObject): JsonObject[] {
  const contents = objectsIn(messages).flatMap((message) => objectsIn(message['content']));
  const nested = contents.flatMap((block) => objectsIn(block['content']));
  return [...objectsIn(tools), ...objectsIn(system), ...contents, ...nested];
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
