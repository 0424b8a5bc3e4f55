import fc from 'fast-check';
import { z } from 'zod';
import type { Json } from '../../../domain/kernel';
import { type Schema, type Texts, valuesOf } from './from-schema';
import { changed, hostileJson, hostileText } from './values';

/** What the schemas do not say. */
const texts: Texts = {
  runId: fc.oneof(fc.constantFrom('r1', 'licenses-7'), hostileText),
  goal: fc.oneof(fc.constantFrom('Look around.'), hostileText),
  prompt: fc.constant({ ns: 'baton', key: 'root' }),
  root: fc.constantFrom('/tmp/x', '.'),
};

/** Generates what may be sent under a contract. What its schema can't describe as JSON Schema is any value. */
export function sentTo({ input }: { readonly input: z.ZodType }): fc.Arbitrary<Json> {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any', cycles: 'ref' }) as Schema;
  return fc.oneof(
    { weight: 9, arbitrary: changed(valuesOf(schema, texts), 0.6) },
    { weight: 1, arbitrary: hostileJson },
  );
}
