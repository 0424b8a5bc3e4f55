import { z } from 'zod';

/** The run, and the store, that an activity reads and writes. */
export const storeLocationSchema = z.object({ runId: z.string(), storeId: z.string() });
export type StoreLocation = Readonly<z.infer<typeof storeLocationSchema>>;
