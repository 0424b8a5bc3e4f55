import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createBaton } from '../../../client';
import type { ConversationChange } from '../../../client/conversation/follow';
import { Conversations } from '../../../client/conversation/conversations';
import { createGate, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { batonInProcess } from '../../cli/support/in-process';
import { Harness } from '../../support/harness';

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
