import { firstDifference } from './bytes';
import { composePromptOver } from './compose/compose';
import type { HashingOptions } from './hashing';
import { hashingWith } from './hashing';
import type { CompositionRecord } from './record';
import { wrapPromptOver } from './wrap/wrap';

export interface StoredComposition {
  readonly record: CompositionRecord;
  /** The two prompts as the store has them. */
  readonly parent: Uint8Array;
  readonly prompt: Uint8Array;
}

/** The audit of one delegation: undefined when everything holds, else the first thing that does not. */
export function checkComposition(stored: StoredComposition, options: HashingOptions = {}): string | undefined {
  const { record, parent, prompt } = stored;
  const sha256 = hashingWith(options);
  const parentHash = sha256(parent);
  if (parentHash !== record.parent.hash) return `the parent prompt has hash ${parentHash}, not ${record.parent.hash}`;
  const promptHash = sha256(prompt);
  if (promptHash !== record.prompt.hash) return `the prompt has hash ${promptHash}, not ${record.prompt.hash}`;
  const again = record.style === 'sections' ? composePromptOver : wrapPromptOver;
  // The recorded id stands: it may have been computed from the model's own payload, of which this input was made.
  const input = { ...record.input, delegationId: record.delegationId };
  const result = again({ bytes: parent, hash: parentHash }, input, options);
  if (!result.ok) return `it cannot be composed again: ${result.error.field}: ${result.error.reason}`;
  const at = firstDifference(result.bytes, prompt);
  return at === undefined ? undefined : `composed again, it differs from byte ${at} on`;
}
