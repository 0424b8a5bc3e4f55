import { invalidRequest } from '../api';
import { asArray, asObject, asString, onlyKnown } from './parse';
import type { JsonObject } from './parse';

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
