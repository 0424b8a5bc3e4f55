import { z } from 'zod';
import { blobRefSchema } from './blob-ref';

/** A text that is either short enough for history, or stands in the store. */
export const spilledTextSchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ ref: blobRefSchema }),
]);
export type SpilledText = Readonly<z.infer<typeof spilledTextSchema>>;

/** Up to this many bytes of UTF-8 a text stays inline. A reply may hold dozens of them, and all must fit into one payload. */
export const inlineTextBytes = 256;

/** No argument and no result of an activity is larger, in bytes of JSON. */
export const maxPayloadBytes = 32 * 1024;
