import { agentPrompt, composePromptFromBytes, type PromptRecord, renderPrompt } from '../../domain/prompt';
import { BlobCorruptError, BlobMissingError, type BlobRef } from '../../domain/store';
import { sha256 } from '../../store/blobs';
import { getPromptRecord, loadPrompt, putPromptRecord, putRenderedPrompt, refOfComposed } from '../../store/prompts';
import { MemoryRunStore } from './support/memory-run-store';

const goal = 'Großes Ziel – “näher”, 漢字.\n'.repeat(500);

async function rootOf(store: MemoryRunStore): Promise<PromptRecord> {
  const rendered = renderPrompt(agentPrompt.definition, { parameters: agentPrompt.bind({ goal }), sha256 });
  const record = await putRenderedPrompt(store, rendered, { definition: agentPrompt.definition });
  await putPromptRecord(store, record);
  return record;
}

interface Composed {
  readonly record: PromptRecord;
  readonly bytes: Uint8Array;
}

async function composeOver(store: MemoryRunStore, parent: PromptRecord, more: object = {}): Promise<Composed> {
  const bytes = await loadPrompt(store, parent.prompt, 'the test');
  const delegation = {
    reason: 'It is a “test”.',
    expectedCompletion: 'a word',
    mayDelegateFurther: true,
    taskSummary: 'Say a word.\nThen stop.',
    requiredOutputs: ['The word.'],
  };
  const input = {
    parent: { agentId: 'run/r1', promptNs: 'n', promptKey: 'k' },
    delegation,
    position: { runId: 'r1', ordinal: 0 },
    ...more,
  };
  const composed = composePromptFromBytes({ bytes, hash: parent.prompt.hash }, input, { sha256 });
  if (!composed.ok) throw new Error(composed.error.reason);
  const record: PromptRecord = {
    ...parent,
    prompt: refOfComposed(composed),
    sections: composed.record.sections,
    origin: { kind: 'composed', composition: composed.record, parent: parent.prompt },
  };
  await putPromptRecord(store, record);
  return { record, bytes: composed.bytes };
}

async function chainOf(store: MemoryRunStore, levels: number): Promise<Composed[]> {
  const chain: Composed[] = [];
  let parent = await rootOf(store);
  for (let level = 0; level < levels; level += 1) {
    chain.push(await composeOver(store, parent));
    parent = chain[level]!.record;
  }
  return chain;
}

const keyOf = ({ hash }: BlobRef): string => `prompt/${hash}`;

test('every prompt of a chain is loaded byte for byte, with its record', async () => {
  const store = new MemoryRunStore();
  for (const { record, bytes } of await chainOf(store, 8)) {
    const loaded = await loadPrompt(store, record.prompt, 'the test');
    expect(Buffer.from(loaded).equals(bytes)).toBe(true);
    expect(sha256(loaded)).toBe(record.prompt.hash);
    expect(await getPromptRecord(store, record.prompt, 'the test')).toEqual(record);
  }
});

test('a composed prompt is one entry, without the text of its parent', async () => {
  const store = new MemoryRunStore();
  const root = await rootOf(store);
  const { puts } = store;
  const { record } = await composeOver(store, root);
  expect(store.puts).toBe(puts);
  const entry = JSON.parse(Buffer.from((await store.find(keyOf(record.prompt)))!).toString('utf8')) as PromptRecord;
  const composition = JSON.stringify(entry.origin);
  expect(composition).toContain('Say a word.');
  expect(composition).not.toContain('näher');
});

test('a prompt assembled from a changed record is refused', async () => {
  const written = new MemoryRunStore();
  const [{ record }] = (await chainOf(written, 1)) as [Composed];
  const store = new MemoryRunStore();
  await rootOf(store);
  const forged = JSON.stringify(record).replaceAll('Say a word.', 'Say a lord.');
  await store.putIfAbsent(keyOf(record.prompt), Buffer.from(forged));
  const loading = loadPrompt(store, record.prompt, 'turn 3');
  await expect(loading).rejects.toThrow(BlobCorruptError);
  await expect(loading).rejects.toMatchObject({ facts: { hash: record.prompt.hash, neededBy: 'turn 3' } });
});

test('an invalid record is reported as unreadable', async () => {
  const store = new MemoryRunStore();
  const { prompt } = await rootOf(new MemoryRunStore());
  await store.putIfAbsent(keyOf(prompt), Buffer.from('{"origin":{"kind":"other"}}'));
  await expect(loadPrompt(store, prompt, 'the test')).rejects.toThrow(BlobCorruptError);
  await expect(getPromptRecord(store, prompt, 'the test')).rejects.toThrow(BlobCorruptError);
});

test('the error for a missing parent prompt names the parent and what needed it', async () => {
  const written = new MemoryRunStore();
  const [{ record }] = (await chainOf(written, 1)) as [Composed];
  const store = new MemoryRunStore();
  await putPromptRecord(store, record);
  const parent = record.origin.kind === 'composed' ? record.origin.parent.hash : '';
  const loading = loadPrompt(store, record.prompt, 'turn 3');
  await expect(loading).rejects.toThrow(BlobMissingError);
  await expect(loading).rejects.toMatchObject({ facts: { hash: parent } });
  await expect(loading).rejects.toThrow('turn 3');
});

test('a prompt without its parent can be loaded without it', async () => {
  const written = new MemoryRunStore();
  const everything = { redactions: [{ path: [], reason: 'Not for the child.' }] };
  const { record, bytes } = await composeOver(written, await rootOf(written), everything);
  const store = new MemoryRunStore();
  await putPromptRecord(store, record);
  expect(Buffer.from(await loadPrompt(store, record.prompt, 'the test')).equals(bytes)).toBe(true);
});
