import { z } from 'zod';
import { BlobCorruptError } from '../../domain/store';
import { getJson, parseStored, putJson } from '../../store/blobs';
import { MemoryRunStore } from './support/memory-run-store';

const replySchema = z.looseObject({ head: z.object({ hash: z.string() }).loose(), characters: z.int() });

describe('stored JSON', () => {
  const run = new MemoryRunStore();
  const reply = {
    head: { hash: 'a'.repeat(64), bytes: 1, mediaType: 'application/json' },
    stopReason: 'done',
    toolCalls: [],
    text: { text: 'hello' },
    characters: 5,
    usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 },
  };
  const parse = (text: string): unknown =>
    parseStored(run, 'call/e1/0', Buffer.from(text), replySchema, 'reply of the model');

  test('is read back unchanged', async () => {
    expect(await getJson(run, await putJson(run, reply), replySchema, 'the test')).toEqual(reply);
    expect(parse(JSON.stringify(reply))).toEqual(reply);
  });

  test.each([
    ['a field is missing', JSON.stringify({ ...reply, head: undefined }), 'head: Invalid input'],
    ['a field has another type', JSON.stringify({ ...reply, characters: '5' }), 'characters: Invalid input'],
    ['it is not JSON', 'oops', 'value: Invalid input'],
  ])('is reported as damaged, with the field, when %s', (_, text, found) => {
    expect(() => parse(text)).toThrow(BlobCorruptError);
    expect(() => parse(text)).toThrow(found);
    expect(() => parse(text)).toThrow('needed by reply of the model');
  });
});
