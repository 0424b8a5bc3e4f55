import { firstDifference } from './bytes';
import { composePromptFromBytes } from './compose/compose';
import type { HashingOptions } from './hashing';
import { hashingWith } from './hashing';
import type { CompositionRecord } from './composition-record';
import { wrapPromptFromBytes } from './wrap/wrap';

/** A composition record with the two prompts that it refers to. */
export interface StoredComposition {
  readonly record: CompositionRecord;
  /** Both prompts as read from the store. */
  readonly parent: Uint8Array;
  readonly prompt: Uint8Array;
}

/** Audits one delegation: composes its prompt again and compares. Returns the first discrepancy, or undefined. */
export function auditComposition(stored: StoredComposition, options: HashingOptions = {}): string | undefined {
  const { record, parent, prompt } = stored;
  const sha256 = hashingWith(options);
  const parentHash = sha256(parent);
  if (parentHash !== record.parent.hash) return `the parent prompt has hash ${parentHash}, not ${record.parent.hash}`;
  const promptHash = sha256(prompt);
  if (promptHash !== record.prompt.hash) return `the prompt has hash ${promptHash}, not ${record.prompt.hash}`;
  const again = record.style === 'sections' ? composePromptFromBytes : wrapPromptFromBytes;
  // Use the recorded id: it may have been computed from the model's payload, from which this input was derived.
  const input = { ...record.input, delegationId: record.delegationId };
  const result = again({ bytes: parent, hash: parentHash }, input, options);
  if (!result.ok) return `it cannot be composed again: ${result.error.field}: ${result.error.reason}`;
  const at = firstDifference(result.bytes, prompt);
  return at === undefined ? undefined : `composed again, it differs from byte ${at} on`;
}
