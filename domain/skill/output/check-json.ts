import { canonicalJson } from '../../kernel/canonical-json';
import type { Json } from '../../kernel/json-value';
import { jsonViolation, type JsonSchema } from './json-output';
import { maxOutputDepth } from './limits';
import { quoteSnippet, outputViolation } from './violation';

const remedy = 'Send exactly one JSON value: nothing before it, no code fence, nothing after it.';

/** Checks that a final message is exactly one JSON value that the schema accepts. Throws an `OutputViolation`. */
export function checkJson(schema: JsonSchema, text: string): { value: Json; text: string } {
  const value = parse(text);
  // Check this before any recursive function runs: a hundred thousand brackets must not overflow the call stack.
  if (isDeeperThan(maxOutputDepth, value)) {
    throw outputViolation(
      'the message',
      `it is nested more than ${maxOutputDepth} levels deep`,
      'Send a flatter value.',
    );
  }
  const found = jsonViolation(schema, value);
  if (found !== undefined) {
    throw outputViolation(
      placeOf(found.path),
      found.message.replace(/\.$/, ''),
      'Correct it to match the JSON Schema.',
    );
  }
  return { value, text: canonical(value) };
}

function parse(text: string): Json {
  const said = text.trimStart();
  if (said === '') throw outputViolation('the message', 'it is empty', remedy);
  if (said.startsWith('```')) throw outputViolation('the message', 'it is inside a code fence', remedy);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not JSON';
    throw outputViolation(
      'the message',
      `it begins with ${quoteSnippet(said)}, which is not valid JSON: ${reason}`,
      remedy,
    );
  }
}

/** Formats the value as canonical JSON. Rejects numbers that are out of range, such as 1e999: they parse to Infinity. */
function canonical(value: Json): string {
  try {
    return canonicalJson(value);
  } catch {
    throw outputViolation('the message', 'it contains a number that is out of range', 'Use smaller numbers, or text.');
  }
}

function isDeeperThan(limit: number, value: Json): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values<Json>(item) : []));
  }
  return false;
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the message';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
