import { BlobCorruptError, type BlobRef } from '../../domain/store';
import { encodeLink, encodePack, type TranscriptLink } from '../../domain/transcript';
import { maxPackedBytes } from '../../domain/transcript/pack';
import { cold, type Conversation, converse, opening, reply, toolResult } from './support/conversations';
import { MemoryRunStore } from './support/memory-run-store';

// Every blob here has the right hash; only their contents are inconsistent.
let store: MemoryRunStore;
let conversation: Conversation;
beforeEach(async () => {
  store = new MemoryRunStore();
  conversation = await converse(store, 17, (index) => `${index} `.repeat(200));
});

const put = (text: string): Promise<BlobRef> => store.put(Buffer.from(text, 'utf8'), 'application/json');
const stepLink = (index: number): TranscriptLink => conversation.transcript.steps[index]!.link;
const following = (index: number, more: Partial<TranscriptLink> = {}): TranscriptLink => ({
  v: 1,
  index,
  prev: conversation.transcript.head,
  entries: [reply('forged')],
  ...more,
});

async function expectRefused(head: BlobRef, why: RegExp): Promise<void> {
  const loading = cold(store).load(head);
  await expect(loading).rejects.toThrow(BlobCorruptError);
  await expect(loading).rejects.toThrow(why);
}

test.each<[string, () => string, RegExp]>([
  ['text', () => 'no JSON', /not JSON/],
  ['another kind of object', () => '{"a":1}', /not a valid transcript link/],
  ['a first link with a predecessor', () => encodeLink(following(0)), /predecessor/],
  ['a later link without one', () => encodeLink(following(3, { prev: null })), /predecessor/],
  ['a first link without an opening', () => encodeLink(following(0, { prev: null })), /starts with an opening/],
  [
    'two openings',
    () => encodeLink(following(0, { prev: null, entries: [opening, opening] })),
    /must be the first entry/,
  ],
])('a head that is %s is refused', async (_, text, why) => {
  await expectRefused(await put(text()), why);
});

test('a link with the wrong number is refused, with or without a cached prefix', async () => {
  const head = await put(encodeLink(following(18)));
  await expectRefused(head, /it is link 16 instead of link 17/);
  const warm = cold(store);
  await warm.load(conversation.transcript.head);
  await expect(warm.load(head)).rejects.toThrow(/it is link 18 instead of link 17/);
});

test('a link with the wrong length of its predecessor is refused', async () => {
  const { head } = conversation.transcript;
  await expectRefused(await put(encodeLink(following(17, { prev: { ...head, bytes: head.bytes + 1 } }))), /changed/);
  const inPack = conversation.transcript.steps[15]!.ref;
  const checkpoint = stepLink(16).checkpoint!;
  const link = following(16, { prev: { ...inPack, bytes: inPack.bytes + 1 }, checkpoint });
  await expectRefused(await put(encodeLink(link)), /bytes long/);
});

async function withPack(pack: string, from = 0): Promise<BlobRef> {
  const link = stepLink(16);
  return put(encodeLink({ ...link, checkpoint: { ref: await put(pack), from } }));
}

test('a pack with wrong contents is refused', async () => {
  const steps = conversation.transcript.steps.slice(0, 16);
  const good = encodePack(steps);
  const lines = good.split('\n');
  const swapped = lines.map((line, n) => (n === 8 ? line.replace('answer 7', 'answer 8') : line)).join('\n');
  await expectRefused(await withPack(good, 1), /does not contain the links 1 to 15/);
  await expectRefused(await withPack(encodePack(steps.slice(0, 15))), /does not contain the links 0 to 15/);
  await expectRefused(await withPack(encodePack([...steps.slice(0, 15), steps[14]!])), /its link 15 is not/);
  await expectRefused(await withPack(swapped), /its link 7 is not/);
  await expectRefused(await withPack(lines.slice(0, 10).join('\n')), /lines for 16 links/);
  await expectRefused(await withPack('nothing'), /header/);
  await expectRefused(await withPack(`${good}\n{}`), /one of its texts is invalid/);
  await expectRefused(await withPack(good.replace('"text":"3 3 ', '"text":"4 3 ')), /its text .* has a different hash/);
});

test('checkpoints at other distances are readable, so the distances may change', async () => {
  const head = await withPack(encodePack(conversation.transcript.steps.slice(5, 16)), 5);
  expect((await cold(store).load(head)).entries).toEqual(conversation.transcript.entries);
});

test('a ref with the wrong length to a text in a pack is refused', async () => {
  const [entry] = await toolResult(store, 'call', '3 '.repeat(200));
  const forged = structuredClone(entry) as { results: { content: { ref: { bytes: number } } }[] };
  forged.results[0]!.content.ref.bytes += 1;
  await expectRefused(await put(encodeLink(following(17, { entries: [forged as never] }))), /400 bytes instead of 401/);
});

test('a text too large for a pack is read on its own', async () => {
  const large = new MemoryRunStore();
  const big = 'x'.repeat(maxPackedBytes + 1);
  const { transcript, expected } = await converse(large, 17, (index) => (index === 3 ? big : 'y'.repeat(1000)));
  large.reads.length = 0;
  expect((await cold(large).load(transcript.head)).entries).toEqual(expected);
  // The head, its pack, and the large text with its link. The small text is the same everywhere and is in the pack.
  expect(large.reads.length).toBe(4);
});
