import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everyStoredAgent, findStoredAgent, readStoredRun, type StoredRun } from '../../client/record/stored-run';
import { StoredFactsReader } from '../../client/record/stored-facts';
import type { OpenedAgent, StatusSnapshot } from '../../domain/agent';
import { nothingSpent } from '../../domain/budget';
import { noUsage } from '../../domain/model';
import { BlobCorruptError, type BlobRef, type RunStore } from '../../domain/store';
import { pinTools } from '../../domain/tool';
import { putJson } from '../../store/blobs';
import { openFileStore } from '../../store/file/open-file-store';
import {
  putBatchRecord,
  putEndingRecord,
  putFinalRecord,
  putRootRecord,
  readRunRecord,
  readStoredRoot,
} from '../../store/run-record';
import { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcript/transcripts';
import { newFolder, text, utf8 } from './support/folders';

const model = { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 };
const limits = { maxTurns: 10, maxDepth: 1, maxChildren: 10, maxParallel: 10 };
const root = 'run/r1';

/** A run in the store whose records are written one by one. */
class Recorded {
  private constructor(
    readonly folder: string,
    readonly store: RunStore,
    private readonly tools: BlobRef,
  ) {}

  static async start(): Promise<Recorded> {
    const folder = await newFolder();
    const store = (await openFileStore(folder)).forRun('r1');
    return new Recorded(folder, store, await putJson(store, []));
  }

  async transcript(goal: string, replies = 0): Promise<{ opened: OpenedAgent; head: BlobRef }> {
    const { store, tools } = this;
    const prompt = await store.put(utf8(goal), 'text/markdown');
    const transcripts = new Transcripts(store, new TranscriptCache());
    const opening = await transcripts.begin({ kind: 'opening', prompt, tools, model, firstMessage: 'Begin.' });
    let end = opening;
    for (let turn = 0; turn < replies; turn += 1) {
      const content = [{ type: 'text' as const, text: `Answer ${turn}` }];
      const usage = { ...noUsage, input: 1_000 };
      end = await transcripts.append(end, [
        ...(turn === 0 ? [] : [{ kind: 'note' as const, from: 'engine' as const, text: 'Again.' }]),
        { kind: 'reply', content, stopReason: 'done', usage, model: model.name },
      ]);
    }
    const opened = {
      storeId: 's',
      prompt,
      tools: pinTools([]),
      toolList: tools,
      prompts: tools,
      structured: false,
      opening: opening.head,
      searchAttributes: false,
    };
    return { opened, head: end.head };
  }

  async root(goal: string, at: string): Promise<OpenedAgent> {
    const { opened } = await this.transcript(goal);
    const settings = { runId: 'r1', model, limits };
    await putRootRecord(this.store, { goal, relay: null, workspace: null, settings, opened, at });
    return opened;
  }

  async child(parent: OpenedAgent, delegationId: string, ordinal: number, at: string): Promise<OpenedAgent> {
    const { opened } = await this.transcript(delegationId);
    const { prompt, opening } = opened;
    const item = { delegationId, ordinal, payload: {}, prompt, opening, mayDelegate: false, headline: 'Look.' };
    const { tools } = this;
    const request = { parent: root, parentPrompt: parent.prompt.hash, tools, at };
    await putBatchRecord(this.store, { ...request, lastLevelTools: tools, items: [item] });
    return opened;
  }

  ended(agent: string, opened: OpenedAgent, status: 'completed' | 'failed', at: string): Promise<void> {
    const failure = status === 'failed' ? { type: 'Model.Refused', message: 'No.' } : null;
    const snapshot = snapshotOf(opened, status);
    const files = agent === root ? { workspace: null, artifacts: [] } : null;
    const ending = { agent, at, status, failure, answer: null, snapshot, spent: nothingSpent, files };
    return putEndingRecord(this.store, 'execution', ending);
  }

  async final(agent: string, goal: string, at: string): Promise<void> {
    const { head } = await this.transcript(goal, 1);
    await putFinalRecord(this.store, { execution: 'execution', call: 0, try: 0 }, { agent, head, at });
  }

  async read(): Promise<StoredRun> {
    const run = await readStoredRun(this.store);
    if (run === undefined) throw new Error('nothing is recorded');
    return run;
  }
}

function snapshotOf({ prompt, opening }: OpenedAgent, status: 'completed' | 'failed'): StatusSnapshot {
  return {
    runId: 'r1',
    status,
    turn: 1,
    maxTurns: 10,
    model: model.name,
    usage: noUsage,
    delegatedUsage: noUsage,
    delegations: 0,
    occupancy: 0,
    window: 1,
    waitingFor: '',
    storeId: 's',
    prompt,
    transcript: opening,
    skill: null,
    paused: false,
    incidents: [],
    parkedBelow: 0,
    decisions: [],
    handoffs: [],
    spent: nothingSpent,
    budget: null,
    injectedTokens: 0,
    activeTokens: 0,
  };
}

test('a run without a record is not a stored run', async () => {
  const { store } = await Recorded.start();
  expect(await readStoredRun(store)).toBeUndefined();
});

test('what a retry does is added, and the latest end counts', async () => {
  const run = await Recorded.start();
  const top = await run.root('goal', '2026-01-01T00:00:00.000Z');
  const child = await run.child(top, 'a1', 0, '2026-01-01T00:00:01.000Z');
  await run.ended(`${root}/a1`, child, 'failed', '2026-01-01T00:00:02.000Z');
  expect((await run.read()).root.children[0]?.ended).toMatchObject({ status: 'failed' });
  await run.final(`${root}/a1`, 'a1', '2026-01-01T00:00:03.000Z');
  const [retried] = (await run.read()).root.children;
  expect(retried?.ended).toEqual({ status: 'completed', at: '2026-01-01T00:00:03.000Z', record: null });
  const facts = await new StoredFactsReader(await run.read()).of(retried!);
  expect(facts).toMatchObject({ answer: 'Answer 0', figures: { own: { turns: 0 } } });
});

test('an answer after a recorded failure shows that the agent goes on', async () => {
  const run = await Recorded.start();
  const top = await run.root('goal', '2026-01-01T00:00:00.000Z');
  await run.ended(root, top, 'failed', '2026-01-01T00:00:02.000Z');
  const answer = { usage: { ...noUsage, input: 1_000 }, model: 'claude-sonnet-5-5' };
  const { hash, bytes } = top.opening;
  const record = { answer, at: '2026-01-01T00:00:03.000Z', agent: root, head: { hash, bytes } };
  await run.store.putIfAbsent('answer/execution/1/0/x/0', utf8(JSON.stringify(record)));
  const stored = await run.read();
  expect(stored.root.ended).toBeNull();
  expect((await new StoredFactsReader(stored).of(stored.root)).figures.own).toMatchObject({
    turns: 1,
    microUsd: 3_000,
  });
});

test('of two runs under one id, the second one is read', async () => {
  const run = await Recorded.start();
  const first = await run.root('first goal', '2026-01-01T00:00:00.000Z');
  await run.child(first, 'a1', 0, '2026-01-01T00:00:01.000Z');
  await run.ended(root, first, 'completed', '2026-01-01T00:00:02.000Z');
  const second = await run.root('second goal', '2026-02-01T00:00:00.000Z');
  await run.child(second, 'b1', 0, '2026-02-01T00:00:01.000Z');
  const stored = await run.read();
  expect(stored.record.goal).toBe('second goal');
  expect(stored.root.ended).toBeNull();
  expect(everyStoredAgent(stored.root).map(({ workflowId }) => workflowId)).toEqual([root, `${root}/b1`]);
  expect((await readStoredRoot(run.store))?.ending).toBeUndefined();
});

test('agents are found by the first letters of their id', async () => {
  const run = await Recorded.start();
  const top = await run.root('goal', '2026-01-01T00:00:00.000Z');
  await run.child(top, 'abc', 1, '2026-01-01T00:00:01.000Z');
  await run.child(top, 'abd', 0, '2026-01-01T00:00:01.000Z');
  const stored = await run.read();
  expect(stored.root.children.map(({ workflowId }) => workflowId)).toEqual([`${root}/abd`, `${root}/abc`]);
  expect(findStoredAgent(stored, 'r1/abc').workflowId).toBe(`${root}/abc`);
  expect(() => findStoredAgent(stored, 'r1/ab')).toThrow(/"ab" matches 2 delegations of run r1/);
  expect(() => findStoredAgent(stored, 'r1/zz')).toThrow('Run r1 has no delegation "zz".');
});

test('records of another version are ignored, and records that are written again stay as they were', async () => {
  const run = await Recorded.start();
  await run.root('goal', '2026-01-01T00:00:00.000Z');
  await run.root('goal', '2027-01-01T00:00:00.000Z');
  await run.store.putIfAbsent('ending/e/x', utf8(JSON.stringify({ v: 2, agent: root })));
  const record = await readRunRecord(run.store);
  expect(record).toMatchObject({ root: { at: '2026-01-01T00:00:00.000Z' }, endings: [] });
});

test('entries of one kind are listed without those of others, and a damaged one is reported', async () => {
  const { folder, store } = await Recorded.start();
  for (const key of ['ending/1', 'ending/2', 'endings/3', 'final/4', 'ending']) await store.putIfAbsent(key, utf8(key));
  const found: (string | undefined)[][] = [];
  for await (const { key, bytes } of store.entries('final')) found.push([key, text(bytes)]);
  expect(found).toEqual([['final/4', 'final/4']]);
  const keys: string[] = [];
  for await (const { key } of store.entries('ending')) keys.push(key);
  expect(keys.sort()).toEqual(['ending', 'ending/1', 'ending/2']);
  const journal = join(folder, 'runs', 'r1', 'journal');
  const [name = ''] = (await readdir(journal)).filter((file) => file.startsWith('final.'));
  await writeFile(join(journal, name), 'nonsense');
  const reading = async (): Promise<void> => {
    for await (const _ of store.entries('final')) continue;
  };
  await expect(reading()).rejects.toThrow(BlobCorruptError);
});
