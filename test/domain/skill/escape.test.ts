import fc from 'fast-check';
import { escapeTags } from '../../../domain/kernel';
import { unescapeTags } from '../../../domain/kernel/text';
import { assembleContext, sourceFromFiles } from '../../../domain/skill';
import { skillOf } from './samples';

const tags = ['file', 'plan', 'roadmap_status'];

/** Texts that consist of relevant fragments, as well as arbitrary ones. */
const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom('<', '/', '\\', ' ', '\n', 'file', 'FILE', 'plan', '>', '</file>', '<\\/', '</', 'x', '_', '-'),
      {
        maxLength: 30,
      },
    )
    .map((pieces) => pieces.join('')),
);

describe('text inside a tag', () => {
  test('comes back unchanged when it is unescaped, whatever it is', () => {
    fc.assert(
      fc.property(hostile, (text) => unescapeTags(escapeTags(text, tags)) === text),
      { numRuns: 2000 },
    );
  });

  test('contains nothing that closes a tag of the context, however it is spelled', () => {
    const closing = /<\s*\/\s*(?:file|plan|roadmap_status)(?![A-Za-z0-9_.-])/i;
    fc.assert(
      fc.property(hostile, (text) => !closing.test(escapeTags(text, tags))),
      { numRuns: 2000 },
    );
  });

  test('stays between the tags of an assembled context, and can be read back from there', async () => {
    const skill = skillOf({
      slice: [
        { source: 'a.md', tag: 'file' },
        { source: 'b.md', tag: 'plan' },
      ],
    });
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (a, b) => {
        const { text } = await assembleContext(skill, sourceFromFiles({ 'a.md': a, 'b.md': b }));
        // The first closing tag that a reader encounters is the real one.
        const first = /<file>\n([\s\S]*?)\n<\/file>\n\n<plan>\n([\s\S]*?)\n<\/plan>$/.exec(text);
        expect(unescapeTags(first?.[1] ?? '?')).toBe(a);
        expect(unescapeTags(first?.[2] ?? '?')).toBe(b);
        expect(text.match(/<\/(?:file|plan)>/g)).toHaveLength(2);
      }),
      { numRuns: 300 },
    );
  });

  test('is unchanged where it closes other tags, so that code can be quoted exactly', () => {
    expect(escapeTags('<div></div></files></file-x>', tags)).toBe('<div></div></files></file-x>');
    expect(escapeTags('</file></ FILE >< /plan', tags)).toBe('<\\/file><\\/ FILE >< \\/plan');
    expect(escapeTags('<\\/script>', tags)).toBe('<\\\\/script>');
  });

  test('is marked as escaped only when it was changed', async () => {
    const skill = skillOf({ slice: [{ source: 'a.md', tag: 'file' }] });
    expect((await assembleContext(skill, sourceFromFiles({ 'a.md': '</file>' }))).text).toMatch(
      /^Some of the text below/,
    );
    expect((await assembleContext(skill, sourceFromFiles({ 'a.md': '</b>' }))).text).toBe('<file>\n</b>\n</file>');
  });
});
