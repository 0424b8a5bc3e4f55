import fc from 'fast-check';
import { aligningMargin, concat, firstDifference } from '../../../domain/prompt/bytes';

/** Copies the bytes to a different offset in memory. */
function placed(bytes: Uint8Array, offset: number): Uint8Array {
  return concat([bytes], offset);
}

test('the first difference is found anywhere, whatever the alignment in memory', () => {
  const offsets = fc.nat(7);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), offsets, offsets, fc.nat(), (bytes, a, b, position) => {
      const at = position % bytes.length;
      const other = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte));
      expect(firstDifference(placed(bytes, a), placed(other, b))).toBe(at);
      expect(firstDifference(placed(bytes, a), placed(bytes, b))).toBeUndefined();
      expect(firstDifference(placed(bytes, a), placed(bytes.subarray(0, at), b))).toBe(at);
    }),
    { numRuns: 500 },
  );
});

test('a margin aligns a copied range like its source', () => {
  for (let offset = 0; offset < 8; offset += 1) {
    for (let before = 0; before < 8; before += 1) {
      const source = placed(new Uint8Array(5), offset);
      const whole = concat([new Uint8Array(before), source], aligningMargin(source, before));
      expect((whole.byteOffset + before) % 4).toBe(offset % 4);
    }
  }
});
