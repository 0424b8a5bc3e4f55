import { z } from 'zod';
import type { Json } from '../kernel';
import { type AssembledPrompt, promptPartSchema } from './document';
import type { CompositionDraft } from './envelope';
import { sectionRangeSchema } from './sections';

const hashedSchema = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().nonnegative(),
});

/**
 * The record of a composed prompt. `auditComposition` rebuilds the prompt from this record and the parent's prompt and
 * compares the two.
 */
export const compositionRecordSchema = z.strictObject({
  version: z.literal(1),
  style: z.enum(['sections', 'wrapper']),
  delegationId: z.string().min(1),
  parent: hashedSchema,
  prompt: hashedSchema,
  /** The complete input except for the parent's text, including the tools at that time (`tooling`). */
  input: z.record(z.string(), z.json()),
  sections: z.array(sectionRangeSchema),
  redactions: z.array(z.strictObject({ path: z.array(z.string()), reason: z.string(), start: z.int(), end: z.int() })),
  parts: z.array(promptPartSchema),
});
export type CompositionRecord = Readonly<z.infer<typeof compositionRecordSchema>>;

/** The values that a composition record is built from. */
export interface RecordInput {
  readonly style: CompositionRecord['style'];
  readonly delegationId: string;
  readonly parent: { readonly bytes: Uint8Array; readonly hash: string };
  readonly input: object;
  readonly assembled: AssembledPrompt;
  readonly draft: CompositionDraft;
}

/** Builds the record of a composed prompt. */
export function compositionRecord(recorded: RecordInput): CompositionRecord {
  const { style, delegationId, parent, input, assembled, draft } = recorded;
  return {
    version: 1,
    style,
    delegationId,
    parent: { hash: parent.hash, bytes: parent.bytes.length },
    prompt: { hash: assembled.hash, bytes: assembled.bytes.length },
    // A strict schema of strings, numbers and booleans has parsed the input, so it contains only JSON.
    input: input as Record<string, Json> as CompositionRecord['input'],
    sections: draft.whole.sections.map(({ path, ...range }) => ({ path: [...path], ...range })),
    redactions: draft.redactions.map(({ path, ...rest }) => ({ path: [...path], ...rest })),
    parts: [...draft.whole.parts],
  };
}
