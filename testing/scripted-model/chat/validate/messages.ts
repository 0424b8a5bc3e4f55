import { isObject, type JsonObject } from '../../validate/parse';
import type { ChatMessage } from '../api';
import {
  invalidParameter,
  invalidValue,
  requireArray,
  requireFunctionName,
  requireKnown,
  requireObject,
  requireString,
  wrongType,
} from './parse';

const fields: Readonly<Record<string, ReadonlySet<string>>> = {
  system: new Set(['role', 'content', 'name']),
  developer: new Set(['role', 'content', 'name']),
  user: new Set(['role', 'content', 'name']),
  assistant: new Set(['role', 'content', 'name', 'tool_calls', 'refusal', 'reasoning_content']),
  tool: new Set(['role', 'content', 'tool_call_id']),
};

/** Checks the messages of a request, each by itself and then together. */
export function validateChatMessages(value: unknown): readonly ChatMessage[] {
  const messages = requireArray(value, 'messages');
  if (messages.length === 0) {
    throw invalidParameter("Invalid 'messages': empty array. Expected an array with minimum length 1.", 'messages');
  }
  const objects = messages.map((message, index) => requireObject(message, `messages[${index}]`));
  for (const [index, message] of objects.entries()) validateMessage(message, `messages[${index}]`);
  const checked = objects as unknown as readonly ChatMessage[];
  validateToolPairs(checked);
  if (checked.at(-1)?.role === 'assistant') {
    throw invalidParameter('The last message must not have the role assistant.', 'messages');
  }
  return checked;
}

function validateMessage(message: JsonObject, path: string): void {
  const role = requireString(message['role'], `${path}.role`);
  const known = Object.hasOwn(fields, role) ? fields[role] : undefined;
  if (known === undefined) throw invalidValue(`${path}.role`, role, Object.keys(fields));
  requireKnown(message, known, path);
  if (role === 'assistant') {
    validateAssistant(message, path);
    return;
  }
  if (role === 'tool') requireString(message['tool_call_id'], `${path}.tool_call_id`);
  validateContent(message['content'], `${path}.content`);
}

function validateAssistant({ content, tool_calls: calls, ...rest }: JsonObject, path: string): void {
  for (const name of ['reasoning_content', 'refusal']) {
    if (rest[name] !== undefined && rest[name] !== null) requireString(rest[name], `${path}.${name}`);
  }
  if (calls === undefined) {
    validateContent(content, `${path}.content`);
    return;
  }
  if (content !== undefined && content !== null) validateContent(content, `${path}.content`);
  const list = requireArray(calls, `${path}.tool_calls`);
  if (list.length === 0) {
    throw invalidParameter(
      `Invalid '${path}.tool_calls': empty array. Expected an array with minimum length 1.`,
      `${path}.tool_calls`,
      'empty_array',
    );
  }
  for (const [at, call] of list.entries()) validateCall(call, `${path}.tool_calls[${at}]`);
}

function validateCall(value: unknown, path: string): void {
  const call = requireObject(value, path);
  requireKnown(call, new Set(['id', 'type', 'function', 'extra_content']), path);
  if (requireString(call['id'], `${path}.id`) === '') {
    throw invalidParameter(`Invalid '${path}.id': empty string.`, `${path}.id`, 'empty_string');
  }
  if (call['type'] !== 'function') throw invalidValue(`${path}.type`, call['type'], ['function']);
  const called = requireObject(call['function'], `${path}.function`);
  requireKnown(called, new Set(['name', 'arguments']), `${path}.function`);
  requireFunctionName(called['name'], `${path}.function.name`);
  const written = requireString(called['arguments'], `${path}.function.arguments`);
  if (!isJsonObject(written)) {
    const param = `${path}.function.arguments`;
    throw invalidParameter(`Invalid '${param}': it must be the JSON text of an object.`, param, 'invalid_value');
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function validateContent(content: unknown, path: string): void {
  if (typeof content === 'string') {
    requireText(content, path);
    return;
  }
  if (content === null || (content !== undefined && !Array.isArray(content)))
    throw wrongType(path, 'one of a string or array of objects', content);
  const parts = requireArray(content, path);
  if (parts.length === 0) {
    throw invalidParameter(`Invalid '${path}': empty array. Expected an array with minimum length 1.`, path);
  }
  for (const [at, value] of parts.entries()) {
    const part = requireObject(value, `${path}[${at}]`);
    if (part['type'] !== 'text') throw invalidValue(`${path}[${at}].type`, part['type'], ['text']);
    requireKnown(part, new Set(['type', 'text']), `${path}[${at}]`);
    requireText(requireString(part['text'], `${path}[${at}].text`), `${path}[${at}].text`);
  }
}

/** Stricter than some servers, because an engine that sends a blank text has lost something. */
function requireText(text: string, path: string): void {
  if (text.trim() !== '') return;
  throw invalidParameter(`Invalid '${path}': it must contain text.`, path, 'empty_string');
}

/** Checks that every tool call has exactly one result, in the messages right after it. */
function validateToolPairs(messages: readonly ChatMessage[]): void {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) throw strangeResult(message.tool_call_id, index);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    requireAnswered(open, index);
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    for (const { id } of calls) {
      if (seen.has(id)) {
        const param = `messages[${index}].tool_calls`;
        throw invalidParameter(`Duplicate value for 'tool_call_id' of '${id}' in message[${index}]`, param);
      }
      seen.add(id);
    }
    open = calls.map(({ id }) => id);
  }
  requireAnswered(open, messages.length);
}

function strangeResult(id: string, index: number): Error {
  return invalidParameter(
    `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'. ` +
      `The id ${id} does not belong to an open call.`,
    `messages.[${index}].role`,
  );
}

function requireAnswered(open: readonly string[], index: number): void {
  if (open.length === 0) return;
  throw invalidParameter(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${open.join(', ')}`,
    `messages.[${index}].role`,
  );
}
