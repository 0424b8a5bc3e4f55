import { delegationId, isWellFormedUnicode, utf8 } from '../kernel';
import { type HashingOptions, hashingWith } from './bytes';
import { embeddedRange } from './markers';
import { PromptError } from './prompt-error';

/** Extracts the parent's prompt from a composed prompt: the bytes between the first START line and the last END line. */
export function extractParent(prompt: Uint8Array): Uint8Array {
  const range = embeddedRange(prompt);
  if (range === undefined) {
    throw new PromptError(
      'Prompt.NothingEmbedded',
      'prompt',
      'it has no line `<!-- PARENT PROMPT START -->` followed by a line `<!-- PARENT PROMPT END -->`',
      'Pass the whole text of a composed prompt. The prompt of a root agent contains no parent prompt.',
    );
  }
  return prompt.subarray(range.start, range.end);
}

/** A parent's prompt as stored. */
export interface ParentPrompt {
  readonly bytes: Uint8Array;
  /** Computed if omitted. */
  readonly hash?: string;
}

/** The parent's prompt and the rest of an input, separated. */
export interface SeparatedInput {
  readonly prompt: ParentPrompt | PromptError;
  /** The input without the prompt's text. */
  readonly rest: unknown;
}

/** Separates the text of the parent's prompt from the rest of an input, which is not validated here. */
export function separateParentPrompt(input: unknown, key: 'rendered' | 'prompt'): SeparatedInput {
  const field = `parent.${key}`;
  const parent = isRecord(input) ? input['parent'] : undefined;
  const text = isRecord(parent) ? parent[key] : undefined;
  if (text !== undefined && typeof text !== 'string') return { prompt: notText(field, text), rest: input };
  if (text === undefined || !isRecord(parent)) return { prompt: missingParent(field), rest: input };
  if (!isWellFormedUnicode(text)) return { prompt: invalidUnicode(field), rest: input };
  return { prompt: { bytes: utf8(text) }, rest: { ...(input as object), parent: without(parent, [key]) } };
}

/**
 * Computes the id of a delegation that is given as one JSON document. All fields count except `limits`; if the document
 * contains a `delegationId`, that is returned. The parent's prompt counts through its hash, which may be known already.
 */
export function documentId(rest: unknown, prompt: ParentPrompt | PromptError, options: HashingOptions): string {
  const parentPrompt = prompt instanceof PromptError ? null : hashOf(prompt, options);
  if (!isRecord(rest)) return delegationId({ parentPrompt, payload: rest, tooling: null, position: null });
  const { delegationId: given, tooling = null, position = null } = rest;
  if (typeof given === 'string' && given !== '') return given;
  const payload = without(rest, ['limits', 'delegationId', 'tooling', 'position']);
  return delegationId({ parentPrompt, payload, tooling, position });
}

/** Returns the hash of a parent's prompt, and computes it if it is not known. */
export function hashOf(prompt: ParentPrompt, options: HashingOptions): string {
  return prompt.hash ?? hashingWith(options)(prompt.bytes);
}

/** The error for a missing or empty parent prompt. */
export function missingParent(field: string): PromptError {
  return new PromptError(
    'Prompt.MissingParent',
    field,
    'the prompt of the parent is missing or empty',
    'Pass the prompt of the delegating agent exactly as it was rendered.',
  );
}

function notText(field: string, value: unknown): PromptError {
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
  return new PromptError(
    'Prompt.MissingParent',
    field,
    `the prompt of the parent must be a text, not ${found}`,
    'Pass the prompt of the delegating agent exactly as it was rendered.',
  );
}

/** The error for a text that has no UTF-8 form. */
export function invalidUnicode(field: string): PromptError {
  return new PromptError(
    'Prompt.InvalidUnicode',
    field,
    'it contains an unpaired surrogate, which UTF-8 cannot represent',
    'Send the text again; it was probably cut in the middle of a character.',
  );
}

function without(record: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
