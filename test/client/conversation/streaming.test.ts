import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createBaton } from '../../../client';
import type { ConversationChange } from '../../../client/conversation/follow';
import { Conversations } from '../../../client/conversation/conversations';
import { createGate, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { batonInProcess } from '../../cli/support/in-process';
import { Harness } from '../../support/harness';
import { forkWorker, kill } from '../../support/worker-process';

/** A model that needs several seconds for its reply, in a hundred pieces. */
const slowly = { chunkSize: 10, chunkDelayMs: 30 };
const answer = Array.from({ length: 100 }, (_, index) => `Piece ${index}`.padEnd(10)).join('');

describe('what a model says while it says it', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  test('is seen within a second, leaves nothing in history, and is replaced by the turn', async () => {
    const gate = createGate();
    harness.model.setScript(
      scriptByTurn(
        useTool('add_note', { text: 'Slow.' }, { ...slowly, text: answer, thinking: 'I think. '.repeat(40) }),
        async () => {
          await gate.opened;
          return say('Done.');
        },
      ),
    );
    const run = await createBaton(harness.client, harness).startRun({ goal: 'Speak.' });
    const store = harness.store.forRun(run.runId);
    const seen: ConversationChange[] = [];
    for await (const change of new Conversations(store, harness.client).follow(run.workflowId)) {
      seen.push(change);
      if (change.entries.some((entry) => entry.kind === 'turn' && entry.calls[0]?.result != null)) gate.open();
    }

    const speaking = seen.flatMap((change) => (change.speaking === null ? [] : [change.speaking]));
    const first = speaking.filter(({ turn }) => turn === 1);
    expect(first.some(({ text, thinking }) => text === '' && thinking.startsWith('I think. '))).toBe(true);
    const texts = first.map(({ text }) => text).filter((text) => text !== '');
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.every((text) => answer.startsWith(text))).toBe(true);
    expect(texts[0]?.length).toBeLessThan(answer.length / 2);
    const told = seen.flatMap(({ entries }) => entries).filter(({ position }) => position === 1);
    expect(told.at(-1)).toMatchObject({
      kind: 'turn',
      text: [{ text: answer }],
      calls: [{ result: { isError: false } }],
    });
    expect(seen.at(-1)).toMatchObject({ speaking: null, total: 3 });

    // Two turns are two activities, and each of them is three events.
    const { events = [] } = await harness.client.workflow.getHandle(run.workflowId).fetchHistory();
    const names = events?.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
    expect(names?.filter((name) => name === 'runTurn')).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain('Piece 40');
    expect(await readdir(join(harness.folder, 'store', 'runs', run.runId, 'volatile'))).toEqual([]);
  });

  test('is lost when its worker dies, and nothing else: the reply is asked for and shown again', async () => {
    harness.model.setScript(
      scriptByTurn(
        useTool('add_note', { text: 'First.' }, { text: 'I begin.' }),
        useTool('add_note', { text: 'Slow.' }, { ...slowly, text: answer }),
        say('Done.'),
      ),
    );
    const worker = await forkWorker(harness);
    await harness.stopWorker();
    const before = harness.model.calls.length;
    const run = await harness.startRun();
    const store = harness.store.forRun(run.workflowId.replace(/^run\//, ''));
    const seen: ConversationChange[] = [];
    let isDead = false;
    for await (const change of new Conversations(store, harness.client).follow(run.workflowId)) {
      seen.push(change);
      if (isDead || change.speaking?.turn !== 2 || change.speaking.text === '') continue;
      isDead = true;
      await kill(worker);
      await harness.startWorker();
    }
    expect(isDead).toBe(true);
    const spoken = seen.flatMap(({ speaking }) => (speaking?.turn === 2 ? [speaking] : []));
    expect([spoken[0]?.attempt, spoken.at(-1)?.attempt]).toEqual([1, 2]);
    expect(spoken.every(({ text }) => answer.startsWith(text))).toBe(true);

    // What was there before the crash has not moved, and every turn is told once.
    const told = seen.flatMap(({ entries }) => entries).filter((entry) => entry.kind === 'turn');
    const last = new Map(told.map((entry) => [entry.position, entry]));
    expect([...last.values()].map(({ turn, text }) => [turn, text[0]?.text])).toEqual([
      [1, 'I begin.'],
      [2, answer],
      [3, 'Done.'],
    ]);
    expect(seen.at(-1)).toMatchObject({ speaking: null });
    const calls = harness.model.calls.slice(before).map(({ attempt, outcome }) => [attempt, outcome]);
    expect(calls).toEqual([
      [0, 'answered'],
      [0, 'aborted'],
      [1, 'answered'],
      [0, 'answered'],
    ]);
  });

  test('is printed by baton transcript --follow, with the turns when they are complete', async () => {
    harness.model.setScript(
      scriptByTurn(useTool('add_note', { text: 'Slow.' }, { ...slowly, text: answer }), say('Done.')),
    );
    const run = await createBaton(harness.client, harness).startRun({ goal: 'Speak again.' });
    const { client, folder } = harness;
    const env = { BATON_STORE_DIR: join(folder, 'store') };
    const printed = await batonInProcess({ client, folder, env }, ['transcript', run.runId, '--follow', '--json']);
    expect(printed.exitCode).toBe(0);
    const lines = printed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const firstTurn = lines.findIndex(({ kind }) => kind === 'turn');
    const partial = lines.slice(0, firstTurn).filter(({ kind }) => kind === 'speaking');
    expect(partial.length).toBeGreaterThan(2);
    expect(lines.filter(({ kind }) => kind === 'turn').at(-1)).toMatchObject({ turn: 2, text: [{ text: 'Done.' }] });
  });
});
