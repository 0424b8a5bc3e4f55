import { z } from 'zod';
import { blobRefSchema } from './blob-ref';

/** A text that is passed inline if it is short enough for workflow history, and as a ref otherwise. */
export const spilledTextSchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ ref: blobRefSchema }),
]);
export type SpilledText = Readonly<z.infer<typeof spilledTextSchema>>;

/** Maximum bytes of UTF-8 of an inline text. A reply may contain dozens of texts, and all must fit into one payload. */
export const inlineTextBytes = 256;

/** Maximum size of an activity's argument or result, in bytes of JSON. */
export const maxPayloadBytes = 32 * 1024;
