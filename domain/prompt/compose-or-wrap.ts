import type { z } from 'zod';
import { assembleVerified } from './document';
import { parseInput } from './parse-input';
import type { SizeLimits } from './checks/size';
import { assertWithinSize } from './checks/size';
import type { ParentPrompt } from './detach-prompt';
import { separateParentPrompt, documentId, hashOf, missingParent } from './detach-prompt';
import type { CompositionDraft } from './draft';
import type { HashingOptions } from './hashing';
import { PromptError } from './prompt-error';
import type { CompositionRecord } from './composition-record';
import { compositionRecord } from './composition-record';
import type { CompositionResult } from './result';
import { compositionSucceeded, compositionFailed } from './result';

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
