import { z } from 'zod';
import { checkValue, firstIssue, type Json } from '../../../domain/kernel';

const nested = (depth: number): Json => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as Json;

describe('a value that somebody else has sent', () => {
  const schema = z.strictObject({ name: z.string().trim().min(1).max(20) });

  test('is returned if it is right', () => {
    expect(checkValue(schema, { name: ' a ' })).toEqual({ success: true, data: { name: 'a' } });
  });

  test.each<[string, z.ZodType, Json, string]>([
    ['with another type', schema, { name: 1 }, 'name: Invalid input: expected string, received number'],
    ['whose length cannot be compared', schema, { name: { length: { toString: null } } }, 'input: cannot be read'],
    ['that is nested deeply', z.json(), nested(100_000), 'input: is nested too deeply'],
  ])('%s is refused, and nothing is thrown', (_, wanted, value, problem) => {
    const { error } = checkValue(wanted, value);
    const { field, reason } = firstIssue(error!);
    expect(`${field}: ${reason}`).toBe(problem);
  });
});
