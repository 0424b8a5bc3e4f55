import { canonicalJson, type Json } from '../../../domain/kernel';

const nested = (depth: number): Json => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as Json;

describe('the canonical text of a value', () => {
  test('has sorted keys and no spaces', () => {
    expect(canonicalJson({ b: [1, null], a: { d: 'x', c: true } })).toBe('{"a":{"c":true,"d":"x"},"b":[1,null]}');
  });

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'cannot be represented as JSON'],
    ['a value that is nested deeply', { input: nested(100_000) }, 'is nested too deeply'],
  ])('does not exist for %s, which is refused with a typed error', (_, value, problem) => {
    const refusal: unknown = expect.objectContaining({
      type: 'Input.Invalid',
      message: expect.stringContaining(problem) as string,
    });
    expect(() => canonicalJson(value)).toThrow(refusal as Error);
  });
});
