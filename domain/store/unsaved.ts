import { z } from 'zod';

/** Something that can't be had again and is not stored yet: its journal key, and its bytes, compressed. */
export const unsavedSchema = z.object({ key: z.string(), gzip: z.base64() });
export type Unsaved = Readonly<z.infer<typeof unsavedSchema>>;
