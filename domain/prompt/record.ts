import { z } from 'zod';
import type { Json } from '../json';
import type { Assembled } from './assemble';
import { promptPartSchema } from './assemble';
import type { Draft } from './draft';
import { sectionRangeSchema } from './section-path';

const hashedSchema = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().nonnegative(),
});

/**
 * What is kept beside a composed prompt: from this record and the parent's prompt, the composed one can be made again and
 * compared (see `checkComposition`).
 */
export const compositionRecordSchema = z.strictObject({
  version: z.literal(1),
  style: z.enum(['sections', 'wrapper']),
  delegationId: z.string().min(1),
  parent: hashedSchema,
  prompt: hashedSchema,
  /** Everything that went in, apart from the parent's text; the tooling snapshot is its `tooling`. */
  input: z.record(z.string(), z.json()),
  sections: z.array(sectionRangeSchema),
  redactions: z.array(z.strictObject({ path: z.array(z.string()), reason: z.string(), start: z.int(), end: z.int() })),
  parts: z.array(promptPartSchema),
});
export type CompositionRecord = Readonly<z.infer<typeof compositionRecordSchema>>;

export interface Recorded {
  readonly style: CompositionRecord['style'];
  readonly delegationId: string;
  readonly parent: { readonly bytes: Uint8Array; readonly hash: string };
  readonly input: object;
  readonly assembled: Assembled;
  readonly draft: Draft;
}

export function compositionRecord(recorded: Recorded): CompositionRecord {
  const { style, delegationId, parent, input, assembled, draft } = recorded;
  return {
    version: 1,
    style,
    delegationId,
    parent: { hash: parent.hash, bytes: parent.bytes.length },
    prompt: { hash: assembled.hash, bytes: assembled.bytes.length },
    // Parsed by a strict schema of strings, numbers and booleans: there is nothing in it that is not JSON.
    input: input as Record<string, Json> as CompositionRecord['input'],
    sections: draft.whole.sections.map(({ path, ...range }) => ({ path: [...path], ...range })),
    redactions: draft.redactions.map(({ path, ...rest }) => ({ path: [...path], ...rest })),
    parts: [...draft.whole.parts],
  };
}
