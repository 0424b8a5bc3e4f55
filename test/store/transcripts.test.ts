import { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcript/transcripts';
import { openFileStore } from '../../store/file/open-file-store';
import { newFolder } from './support/folders';
import { cold, converse, opening, reply, toolResult } from './support/conversations';
import { MemoryRunStore } from './support/memory-run-store';

const small = (index: number): string => `${index} `.repeat(900).slice(0, 1800);
const fiveKilobytes = (index: number): string => `${index} `.repeat(2500).slice(0, 5000);

test('a conversation starts with its opening and grows by what is appended', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  const transcripts = cold(run);
  const begun = await transcripts.begin(opening);
  const [entry, resolved] = await toolResult(run, 'call 1', 'x'.repeat(5000));
  const grown = await transcripts.append(begun, [
    entry,
    { kind: 'note', from: 'operator', text: 'Hurry.' },
    reply('Done.'),
  ]);
  const expected = [opening, resolved, { kind: 'note', from: 'operator', text: 'Hurry.' }, reply('Done.')];
  expect(grown).toMatchObject({ length: 2, opening, entries: expected });
  expect(grown.entries).toEqual(expected);
  expect(begun).toMatchObject({ length: 1, entries: [opening] });
  expect(await cold(run).load(grown.head)).toEqual(grown);
  expect(await transcripts.load(begun.head)).toBe(begun);
});

test('about a thousand links with small tool results are loaded without a cache in at most 64 reads', async () => {
  const store = new MemoryRunStore();
  const { transcript, expected } = await converse(store, 1024, small);
  // 1,024 is the worst case: its tail is a full span, and the widest pack is the farthest away.
  for (const [length, reads] of [
    [1000, 33],
    [1024, 50],
  ] as const) {
    store.reads.length = 0;
    const loaded = await cold(store).load(transcript.steps[length - 1]!.ref);
    expect(store.reads.length).toBe(reads);
    expect(loaded.entries).toEqual(expected.slice(0, 2 * length - 1));
  }
});

test('large tool results and large replies are not copied: each is read on its own', async () => {
  const store = new MemoryRunStore();
  const { transcript, expected } = await converse(store, 40, fiveKilobytes);
  const long = await cold(store).append(transcript, [reply(fiveKilobytes(40))]);
  const { entries, length, head } = await cold(store).append(long, [reply('The end.')]);
  store.reads.length = 0;
  const loaded = await cold(store).load(head);
  expect(loaded.entries).toEqual([...expected, reply(fiveKilobytes(40)), reply('The end.')]);
  expect(loaded.entries).toEqual(entries);
  // 39 results and their links; the two links at the end, the opening in its pack, and two packs of 16.
  expect([length, store.reads.length]).toEqual([42, 39 + 39 + 2 + 2]);
  const stored = [...store.blobs.values()].reduce((sum, bytes) => sum + bytes.byteLength, 0);
  expect(stored).toBeLessThan(1.2 * 40 * 5_000);
});

test('an append writes one blob, and one more when a checkpoint is due', async () => {
  const store = new MemoryRunStore();
  const transcripts = cold(store);
  let transcript = await transcripts.begin(opening);
  const writes: number[] = [];
  for (let index = 1; index <= 33; index += 1) {
    const before = store.puts;
    transcript = await transcripts.append(transcript, [reply(`${index}`)]);
    writes.push(store.puts - before);
  }
  expect(writes.flatMap((count, n) => (count === 1 ? [] : [n + 1]))).toEqual([16, 32]);
  expect(store.reads).toEqual([]);
});

test('two attempts that append to the same head do not disturb each other', async () => {
  const store = new MemoryRunStore();
  const transcripts = cold(store);
  const { transcript } = await converse(store, 16, fiveKilobytes, transcripts);
  const [one, other] = await Promise.all([
    transcripts.append(transcript, [reply('one')]),
    transcripts.append(transcript, [reply('other')]),
  ]);
  expect(transcript.length).toBe(16);
  expect(one.entries).toEqual([...transcript.entries, reply('one')]);
  expect(other.entries).toEqual([...transcript.entries, reply('other')]);
  expect(await transcripts.load(transcript.head)).toBe(transcript);
  expect((await cold(store).load(other.head)).entries).toEqual(other.entries);
  expect(await transcripts.append(transcript, [reply('one')])).toEqual(one);
});

test('a worker that has cached the beginning reads only what is new', async () => {
  const store = new MemoryRunStore();
  const elsewhere = cold(store);
  const here = cold(store);
  const { transcript } = await converse(store, 14, fiveKilobytes, elsewhere);
  await here.load(transcript.head);
  const [entry] = await toolResult(store, 'new', fiveKilobytes(99));
  const longer = await elsewhere.append(transcript, [entry, reply('on')]);
  store.reads.length = 0;
  expect((await here.load(longer.head)).entries).toEqual(longer.entries);
  expect(store.reads.length).toBe(2);
  await here.load(longer.head);
  expect(store.reads.length).toBe(2);
});

test('texts that were resolved for a request are not read again to append them', async () => {
  const store = new MemoryRunStore();
  const transcripts = cold(store);
  const begun = await transcripts.begin(opening);
  const [entry, resolved] = await toolResult(store, 'call 1', fiveKilobytes(1));
  expect(await transcripts.resolve([entry, reply('x')])).toEqual([resolved, reply('x')]);
  await transcripts.append(begun, [entry, reply('x')]);
  expect(store.reads.length).toBe(1);
});

test('a cached transcript cannot be changed by its users', async () => {
  const { transcript } = await converse(new MemoryRunStore(), 3, fiveKilobytes);
  const [first] = transcript.entries as unknown as { firstMessage: string }[];
  expect(() => (first!.firstMessage = 'Something else.')).toThrow(TypeError);
  const last = transcript.entries[transcript.entries.length - 1] as { content: Record<string, unknown>[] };
  expect(() => (last.content[0]!['cache_control'] = {})).toThrow(TypeError);
  expect(() => (transcript.entries as unknown[]).push(1)).toThrow(TypeError);
});

test('a cache too small for a conversation only makes it slower', async () => {
  const store = new MemoryRunStore();
  const transcripts = new Transcripts(store, new TranscriptCache(1000));
  const { transcript, expected } = await converse(store, 40, fiveKilobytes, transcripts);
  store.reads.length = 0;
  expect((await transcripts.load(transcript.head)).entries).toEqual(expected);
  expect(store.reads.length).toBeGreaterThan(0);
});

test('a long conversation keeps two heads in the cache, not all of them', async () => {
  const store = new MemoryRunStore();
  const transcripts = cold(store);
  const { transcript } = await converse(store, 5, fiveKilobytes, transcripts);
  store.reads.length = 0;
  await transcripts.load(transcript.steps[4]!.ref);
  await transcripts.load(transcript.steps[3]!.ref);
  expect(store.reads).toEqual([]);
  await transcripts.load(transcript.steps[2]!.ref);
  expect(store.reads.length).toBeGreaterThan(0);
});

test('runs that share a cache do not see each other', async () => {
  const store = await openFileStore(await newFolder());
  const cache = new TranscriptCache();
  const { head } = await new Transcripts(store.forRun('r1'), cache).begin(opening);
  await expect(new Transcripts(store.forRun('r2'), cache).load(head)).rejects.toMatchObject({
    type: 'Store.BlobMissing',
  });
});

test('entries that could not be read back are refused, and nothing is written', async () => {
  const store = new MemoryRunStore();
  const transcripts = cold(store);
  const begun = await transcripts.begin(opening);
  const before = store.puts;
  for (const entries of [[], [opening], [{ kind: 'note', from: 'engine', text: '' }], [{ kind: 'other' }]]) {
    await expect(transcripts.append(begun, entries as never)).rejects.toMatchObject({ type: 'Input.Invalid' });
  }
  expect(store.puts).toBe(before);
});
