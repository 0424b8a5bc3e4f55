import type { z } from 'zod';
import { checkValue, truncateText } from '../kernel';
import type { HashingOptions } from './bytes';
import { assertWithinSize, type SizeLimits } from './checks/size';
import { fieldName } from './checks/text-rules';
import { type CompositionRecord, compositionRecord } from './composition-record';
import { assembleVerified } from './document';
import type { CompositionDraft } from './envelope';
import { documentId, hashOf, missingParent, type ParentPrompt, separateParentPrompt } from './extract';
import { PromptError, type PromptFailureType } from './prompt-error';
import { compositionFailed, type CompositionResult, compositionSucceeded } from './result';

/** A composition style: the six-section prompt or the thin wrapper. */
export interface CompositionStyle<I extends { limits?: SizeLimits | undefined }> {
  readonly name: CompositionRecord['style'];
  readonly schema: z.ZodType<I>;
  readonly reference: string;
  /** Key of `parent` under which a document contains the parent's prompt. */
  readonly promptKey: 'rendered' | 'prompt';
  /** Checks the input and builds a draft. Throws a `PromptError` if the input is invalid. */
  draft(parent: Uint8Array, input: I, delegationId: string): CompositionDraft;
}

type AnyInput = { limits?: SizeLimits | undefined };

/** Composes a prompt from one JSON document that contains the parent's prompt. */
export function composeDocument<I extends AnyInput>(
  style: CompositionStyle<I>,
  document: unknown,
  options: HashingOptions,
): CompositionResult {
  const { prompt, rest } = separateParentPrompt(document, style.promptKey);
  if (prompt instanceof PromptError) return compositionFailed(prompt, documentId(rest, prompt, options), rest);
  return composeFromBytes(style, prompt, rest, options);
}

/** Composes a prompt from the parent's bytes. Computes the id before validating the input, so that every failure has it. */
export function composeFromBytes<I extends AnyInput>(
  style: CompositionStyle<I>,
  parent: ParentPrompt,
  input: unknown,
  options: HashingOptions,
): CompositionResult {
  const hashed = { bytes: parent.bytes, hash: hashOf(parent, options) };
  const delegationId = documentId(input, hashed, options);
  const parentField = `parent.${style.promptKey}`;
  try {
    if (parent.bytes.length === 0) throw missingParent(parentField);
    const parsed = parseInput(style.schema, input, style.reference);
    const draft = style.draft(parent.bytes, parsed, delegationId);
    const sized = { promptBytes: draft.whole.bytes, parentBytes: draft.embedding.bytes, parentField };
    assertWithinSize({ ...sized, fields: draft.fields }, parsed.limits ?? {});
    const assembled = assembleVerified(draft.whole.parts, parent.bytes, options);
    const record = compositionRecord({
      style: style.name,
      delegationId,
      parent: hashed,
      input: parsed,
      assembled,
      draft,
    });
    return compositionSucceeded(record, assembled, draft.embedding);
  } catch (error) {
    if (error instanceof PromptError) return compositionFailed(error, delegationId, input);
    throw error;
  }
}

/** Maximum characters of a field's name or a reason in an error. */
const longestShown = 500;

/** Failure type by top-level field. The specification has separate failures for tooling and redactions. */
const failureByArea: Readonly<Record<string, PromptFailureType>> = {
  tooling: 'Prompt.InvalidTooling',
  redactions: 'Prompt.InvalidRedaction',
};

/** Parses an input. Throws a `PromptError` for the first problem only, because the error has one `field`. */
function parseInput<S extends z.ZodType>(schema: S, input: unknown, reference: string): z.output<S> {
  const parsed = checkValue(schema, input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue === undefined ? [] : offendingPath(issue);
  const type = failureTypeAt(path);
  throw new PromptError(
    type,
    path.length === 0 ? 'input' : truncateText(fieldName(path), longestShown),
    issue === undefined ? 'it is malformed' : truncateText(reasonOf(issue), longestShown),
    `Compare the input with ${reference}.`,
  );
}

function failureTypeAt(path: readonly PropertyKey[]): PromptFailureType {
  const area = String(path[0]);
  // An input may have a key such as "constructor", which every object inherits.
  if (Object.hasOwn(failureByArea, area)) return failureByArea[area] ?? 'Input.Invalid';
  return isSectionIndex(path) ? 'Prompt.InvalidSections' : 'Input.Invalid';
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const others = issue.keys.length - 1;
    return others === 0 ? 'it is not a known field' : `it is not a known field, and neither are ${others} others`;
  }
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
    ? 'it is missing'
    : issue.message;
}

function isSectionIndex(path: readonly PropertyKey[]): boolean {
  return path[0] === 'parent' && path[1] === 'sections';
}

/** Returns the path of the invalid field. zod reports an unknown key at the object that contains it, so add the key. */
function offendingPath(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
}
