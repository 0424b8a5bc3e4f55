import { z } from 'zod';
import { blobRefSchema } from '../store';
import { firstDifference, type HashingOptions, hashingWith } from './bytes';
import { composePromptFromBytes } from './compose/compose';
import { type CompositionRecord, compositionRecordSchema } from './composition-record';
import { promptDefinitionSchema } from './definition/prompt-definition';
import { outputFormatSchema } from './output';
import { sectionRangeSchema } from './sections';
import { wrapPromptFromBytes } from './wrap/wrap';

/**
 * The record that is stored with every agent's prompt. It is enough to rebuild the prompt and compare it, and to
 * compose prompts of delegations from it. Every record leads back, through its parents, to that of the root agent.
 */
export const promptRecordSchema = z.strictObject({
  version: z.literal(1),
  prompt: blobRefSchema,
  ns: z.string(),
  key: z.string(),
  /** Sections of the whole prompt, including those of embedded prompts. */
  sections: z.array(sectionRangeSchema),
  /** All parameters bound by this prompt and by those it was composed from. */
  parameters: z.record(z.string(), z.string()),
  /** Required format of the agent's final message; null for free text. */
  output: outputFormatSchema.nullable(),
  /** The `transcript` setting of the prompt definition. */
  transcript: z.enum(['none', 'full']),
  /** Sections that were withheld from this agent and from those above it; an empty path is a whole prompt. */
  withheld: z.array(z.array(z.string())).optional(),
  /** Name and hash of the skill definition, for an agent that has a skill. */
  skill: z.strictObject({ name: z.string(), hash: z.string() }).optional(),
  origin: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('rendered'),
      definition: promptDefinitionSchema,
      /** Level of the outermost headings; omitted when it is the default. */
      headingLevel: z.int().min(1).max(6).optional(),
    }),
    z.strictObject({
      kind: z.literal('composed'),
      composition: compositionRecordSchema,
      /** The parent's prompt. The parent's record is stored under its hash. */
      parent: blobRefSchema,
    }),
    /** Not the prompt of an agent, but what its delegations embed: its prompt and its transcript. */
    z.strictObject({
      kind: z.literal('withTranscript'),
      prompt: blobRefSchema,
      /** The section that was appended. */
      section: blobRefSchema,
      /** Head of the transcript. */
      head: blobRefSchema,
    }),
  ]),
});
export type PromptRecord = Readonly<z.infer<typeof promptRecordSchema>>;

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
