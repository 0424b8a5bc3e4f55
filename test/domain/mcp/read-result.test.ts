import fc from 'fast-check';
import { readResult } from '../../../domain/mcp';

describe('the result of a call', () => {
  test('has a part for every block, and names those that cannot be read', () => {
    expect(
      readResult(
        [
          { type: 'text', text: 'a' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
          { type: 'image', data: 'AAAA', mimeType: 'not a type' },
          { type: 'resource', resource: { uri: 'x:y', blob: 'AAAA' } },
          { type: 'resource_link', uri: 'x:\u202Ez\n', name: 'n' },
          { type: 'hologram' },
          { type: 'text' },
          7,
        ],
        undefined,
      ),
    ).toEqual([
      { text: 'a' },
      { what: 'audio', base64: 'AAAA', mediaType: 'audio/wav' },
      { what: 'image', base64: 'AAAA', mediaType: 'application/octet-stream' },
      { text: '[resource x:y]' },
      { what: 'resource', base64: 'AAAA', mediaType: 'application/octet-stream' },
      { text: '[resource x:z ; n]' },
      { text: '[a part of the kind "hologram" that cannot be read was left out]' },
      { text: '[a text that cannot be read was left out]' },
      { text: '[a part that cannot be read was left out]' },
    ]);
  });

  test('repeats structured content only if no text contains it', () => {
    expect(readResult([{ type: 'text', text: '{ "b": 1, "a": 2 }' }], { a: 2, b: 1 })).toHaveLength(1);
    expect(readResult([{ type: 'text', text: 'done' }], { a: 2 }).at(-1)).toEqual({
      text: 'Structured content:\n{"a":2}',
    });
    expect(readResult([], null)).toEqual([{ text: 'Structured content:\nnull' }]);
  });

  test('is read whatever a server sends', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (content, structured) => {
        for (const part of readResult(content, structured)) expect('text' in part || 'base64' in part).toBe(true);
      }),
    );
  });
});
