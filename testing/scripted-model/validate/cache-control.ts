import { invalidRequest } from '../api';
import { asArray, asObject, asString, isObject, type JsonObject, onlyKnown } from './parse';

const maxBreakpoints = 4;

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

const textFields = new Set(['type', 'text', 'cache_control', 'citations']);

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
export function validateText(block: JsonObject, path: string, area: string): void {
  onlyKnown(block, textFields, `${path}.`);
  const text = asString(block['text'], `${path}.text`);
  if (text === '') throw invalidRequest(`${area}: text content blocks must be non-empty`);
  if (text.trim() === '') throw invalidRequest(`${area}: text content blocks must contain non-whitespace text`);
}
