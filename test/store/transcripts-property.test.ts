import * as fc from 'fast-check';
import { readFile, writeFile } from 'node:fs/promises';
import { stopReasonSchema } from '../../domain/model';
import { BlobCorruptError, BlobMissingError, type BlobRef, type RunStore } from '../../domain/store';
import type { ResolvedEntry, TranscriptEntry } from '../../domain/transcript';
import { spillText } from '../../store/blobs';
import { openFileStore } from '../../store/file/open-file-store';
import { cold, converse, opening } from './support/conversations';
import { blobFile, newFolder } from './support/folders';
import { MemoryRunStore } from './support/memory-run-store';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const toolText = fc.oneof(
  text,
  text.map((part) => part.repeat(20)),
);
const count = fc.nat(1_000_000);
const note = fc.record({ kind: fc.constant('note'), from: fc.constantFrom('engine', 'operator'), text });
const provider = fc.record({ name: text, data: fc.jsonValue() });
const reply = fc.record({
  kind: fc.constant('reply'),
  content: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('text'), text }),
      fc.record({ type: fc.constant('toolCall'), id: text, name: text, input: fc.jsonValue() }),
      fc.record({ type: fc.constant('thinking'), text, provider }),
      fc.record({ type: fc.constant('opaque'), provider }),
    ),
    { maxLength: 3 },
  ),
  stopReason: fc.constantFrom(...stopReasonSchema.options),
  usage: fc.record({ input: count, cacheRead: count, cacheWrite: count, output: count }),
  model: text,
});
const results = fc.record({
  kind: fc.constant('toolResults'),
  results: fc.array(fc.record({ callId: text, isError: fc.boolean(), text: toolText }), { minLength: 1, maxLength: 3 }),
});
const links = fc.array(fc.array(fc.oneof(note, reply, results), { minLength: 1, maxLength: 3 }), { maxLength: 40 });

/** Entries as they are appended, with long texts in the store. */
async function stored(store: RunStore, entry: ResolvedEntry): Promise<TranscriptEntry> {
  if (entry.kind !== 'toolResults') return entry;
  const spilled = entry.results.map(async ({ text, ...rest }) => ({ ...rest, content: await spillText(store, text) }));
  return { kind: 'toolResults', results: await Promise.all(spilled) };
}

/** The value after JSON serialization, which has no negative zero. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('whatever is appended, with or without a cache, is loaded in order', async () => {
  await fc.assert(
    fc.asyncProperty(links, fc.nat(), async (chain, forget) => {
      const store = new MemoryRunStore();
      let transcripts = cold(store);
      let transcript = await transcripts.begin(opening);
      for (const [index, entries] of (chain as ResolvedEntry[][]).entries()) {
        // Another worker continues now and then.
        if (index % ((forget % 7) + 2) === 0) {
          transcripts = cold(store);
          transcript = await transcripts.load(transcript.head);
        }
        transcript = await transcripts.append(
          transcript,
          await Promise.all(entries.map((entry) => stored(store, entry))),
        );
      }
      const loaded = await cold(store).load(transcript.head);
      expect(loaded).toEqual(transcript);
      expect(loaded.entries).toEqual([opening, ...(asJson(chain.flat()) as unknown[])]);
      expect(loaded.length).toBe(chain.length + 1);
    }),
    { numRuns: 40 },
  );
});

test('one flipped bit in any blob that a load reads makes it fail', async () => {
  const root = await newFolder();
  const run = (await openFileStore(root)).forRun('r1');
  const { transcript } = await converse(run, 35, (index) => `${index} `.repeat(200));
  const refs: BlobRef[] = [];
  const watched: RunStore = { ...bound(run), get: (ref, by) => (refs.push(ref), run.get(ref, by)) };
  await cold(watched).load(transcript.head);
  expect(refs.length).toBe(3 + 3 + 2);
  const place = fc.tuple(fc.constantFrom(...refs), fc.nat(), fc.nat(7));
  await fc.assert(
    fc.asyncProperty(place, async ([ref, at, bit]) => {
      const file = blobFile(root, 'r1', ref);
      const good = await readFile(file);
      const bad = Buffer.from(good);
      bad[at % bad.length] = bad[at % bad.length]! ^ (1 << bit);
      await writeFile(file, bad);
      await expect(cold(run).load(transcript.head)).rejects.toThrow(BlobCorruptError);
      await writeFile(file, good);
    }),
    { numRuns: 80 },
  );
  expect(await cold(run).load(transcript.head)).toEqual(transcript);
});

test('any missing blob makes a load fail, and is named', async () => {
  const store = new MemoryRunStore();
  const { transcript } = await converse(store, 35, (index) => `${index} `.repeat(200));
  store.reads.length = 0;
  await cold(store).load(transcript.head);
  for (const hash of [...store.reads]) {
    const blob = store.blobs.get(hash)!;
    store.blobs.delete(hash);
    const loading = cold(store).load(transcript.head);
    await expect(loading).rejects.toThrow(BlobMissingError);
    await expect(loading).rejects.toThrow(hash);
    store.blobs.set(hash, blob);
  }
});

function bound(run: RunStore): RunStore {
  return {
    runId: run.runId,
    put: run.put.bind(run),
    get: run.get.bind(run),
    has: run.has.bind(run),
    putIfAbsent: run.putIfAbsent.bind(run),
    find: run.find.bind(run),
    flush: run.flush.bind(run),
    entries: run.entries.bind(run),
    verify: run.verify.bind(run),
  };
}
