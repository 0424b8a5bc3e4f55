import { inlineTextBytes } from '../../domain/store';
import { measurePayload, readSpilled, spillText } from '../../store/blobs';
import { openFileStore } from '../../store/file/open-file-store';
import { newFolder } from './support/folders';

test('a text stays inline up to the limit in bytes, and is read back unchanged either way', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  for (const text of [
    '',
    'short',
    'é'.repeat(inlineTextBytes / 2),
    'é'.repeat(inlineTextBytes / 2 + 1),
    '\ufeffx'.repeat(200),
  ]) {
    const spilled = await spillText(run, text);
    expect('text' in spilled).toBe(Buffer.byteLength(text) <= inlineTextBytes);
    expect(await readSpilled(run, spilled, 'the test')).toBe(text);
  }
});

test('invalid Unicode is replaced in the same way in short and long texts', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  const [short, long] = await Promise.all([spillText(run, 'a\ud800'), spillText(run, 'a\ud800'.repeat(500))]);
  expect(await readSpilled(run, short, 'the test')).toBe('a\ufffd');
  expect(await readSpilled(run, long, 'the test')).toBe('a\ufffd'.repeat(500));
});

test('the media type is kept, and bytes that are not text are refused', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  expect(await spillText(run, 'x'.repeat(500), 'text/markdown')).toMatchObject({ ref: { mediaType: 'text/markdown' } });
  const ref = await run.put(Uint8Array.of(0xff, 0xfe), 'text/plain');
  await expect(readSpilled(run, { ref }, 'the test')).rejects.toThrow(/not UTF-8/);
});

test('a payload is measured in bytes of JSON', () => {
  expect(measurePayload({ a: 'é' })).toBe(10);
  expect(measurePayload(undefined)).toBe(0);
  expect(measurePayload('"')).toBe(4);
});
