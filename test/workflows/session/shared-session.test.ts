import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notesSlice, recordsOf } from '../../../domain/session';
import { createGate, scriptByTurn, say, useTool, useTools, type Script } from '../../../testing/scripted-model';
import {
  batch,
  childrenOf,
  delegationsOf,
  hostOf,
  planned,
  planner,
  planOf,
  reasonOf,
  recordOf,
  resultsOf,
  sessionOf,
} from '../../support/batches';
import { dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';

describe('a session that the delegations of a batch share', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const { play, told } = treePlayer(() => harness, 'dispatch_subagents');

  test('shows what a child wrote to its siblings while they work, and to the parent afterwards', async () => {
    const written = createGate();
    const writer = scriptByTurn(useTool('write_artifact', { name: 'finding', content: 'The disk is full.' }), () => {
      // Its write has been answered, otherwise the model would not be called again.
      written.open();
      return say('Written.');
    });
    const reader = scriptByTurn(
      async () => {
        await written.opened;
        return useTool('read_artifact', { name: 'finding' });
      },
      useTool('read_artifact', { name: 'finding' }),
      (call) => say(call.toolResults[0]!.text),
    );
    const { handle, asked } = await play([
      scriptByTurn(
        useTool('dispatch_subagents', batch(['Write.', 'Read.'])),
        useTool('read_artifact', { name: 'finding' }),
        (call) => say(call.toolResults[0]!.text),
      ),
      (call) => (reasonOf(call) === 'Write.' ? writer(call) : reader(call)),
    ]);
    expect(await handle.result()).toMatchObject({
      answer: { text: expect.stringContaining('The disk is full.') as unknown },
    });
    // The first read was before the sibling's write could have arrived; the turn's own write delivered it.
    const looks = asked.filter((call) => reasonOf(call) === 'Read.').flatMap(({ toolResults }) => toolResults);
    expect(looks.map(({ isError }) => isError)).toEqual([true, false]);
    expect(resultsOf(told(asked))[1]).toMatchObject({
      success: true,
      output: expect.stringContaining('The disk is full.') as unknown,
    });
  });

  test('lets one of two children win that change the same file; the other is informed, and repeats its change', async () => {
    const root = join(harness.folder, 'both-edit');
    await mkdir(root);
    await writeFile(join(root, 'list.txt'), 'end\n');
    const [one, two] = [createGate(), createGate()];
    const editor: Script = async (call) => {
      if (call.turn === 0) return useTool('read_file', { path: 'list.txt' });
      if (call.turn === 1) {
        // Both have seen the original file before either changes it.
        (reasonOf(call) === 'One.' ? one : two).open();
        await Promise.all([one.opened, two.opened]);
      }
      if (call.turn > 1 && !call.toolResults[0]!.isError) return say('Edited.');
      return useTool('edit_file', { path: 'list.txt', old_text: 'end', new_text: `${reasonOf(call)}\nend` });
    };
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('dispatch_subagents', batch(['One.', 'Two.'])),
          useTool('read_file', { path: 'list.txt' }),
          (call) => say(call.toolResults[0]!.text),
        ),
        editor,
      ],
      { workspace: { root } },
    );
    const { answer } = await handle.result();
    const lost = asked.flatMap(({ toolResults }) => toolResults.filter(({ isError }) => isError));
    expect(lost).toHaveLength(1);
    expect(lost[0]!.text).toMatch(/list\.txt: another agent changed it since you read it/);
    expect('text' in answer && answer.text.match(/One\.|Two\.|end/g)).toHaveLength(3);
  });

  test('lets no child replace what a sibling wrote without having read it', async () => {
    const root = join(harness.folder, 'stale-view');
    await mkdir(root);
    await writeFile(join(root, 'list.txt'), 'end\n');
    const [read, written] = [createGate(), createGate()];
    const early: Script = async (call) => {
      if (call.turn > 0) {
        written.open();
        return say('Written.');
      }
      await read.opened;
      return useTool('write_file', { path: 'list.txt', content: 'Early.\n' });
    };
    const late = scriptByTurn(
      useTool('read_file', { path: 'list.txt' }),
      async () => {
        read.open();
        await written.opened;
        // A write of any kind delivers what the sibling did.
        return useTool('add_note', { text: 'I know the file.' });
      },
      useTool('write_file', { path: 'list.txt', content: 'Late.\n' }),
      useTool('read_file', { path: 'list.txt' }),
      (call) => useTool('write_file', { path: 'list.txt', content: `${call.toolResults[0]!.text}Late.\n` }),
      say('Added.'),
    );
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('dispatch_subagents', batch(['Early.', 'Late.'])),
          useTool('read_file', { path: 'list.txt' }),
          (call) => say(call.toolResults[0]!.text),
        ),
        (call) => (reasonOf(call) === 'Early.' ? early(call) : late(call)),
      ],
      { workspace: { root } },
    );
    const { answer } = await handle.result();
    const refused = asked.flatMap(({ toolResults }) => toolResults.filter(({ isError }) => isError));
    expect(refused.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^"list\.txt" was changed by another agent since you last read it/),
    ]);
    expect(answer).toEqual({ text: 'Early.\nLate.\n' });
  });

  test('reports an error of a reducer to the writer, and keeps working', async () => {
    const child = scriptByTurn(
      useTools([
        { name: 'update_plan_step', input: { id: 'S777', status: 'done' } },
        { name: 'add_plan_steps', input: { steps: ['After it'] } },
      ]),
      (call) => say(call.toolResults.map(({ isError, text }) => `${isError ? 'failed' : 'ok'}: ${text}`).join('\n')),
    );
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagents', batch(['Try.'])), say('done')),
      child,
    ]);
    await handle.result();
    const [{ output } = { output: '' }] = resultsOf(told(asked));
    expect(output).toMatch(/failed: Not applied:\nSession\.InvalidValue: .*no step S777/);
    expect(output).toMatch(/ok: Added one step to the plan\. Ids: S001\./);
    expect(await planOf(harness.client, handle.workflowId)).toEqual(['After it']);
  });

  test('is the same in nested batches, in one order; what isolated delegations write stays isolated', async () => {
    const middle = scriptByTurn(
      useTool('add_plan_steps', { steps: ['Middle. 1'] }),
      // Concurrently: none of their writes may interfere with another.
      useTools([
        { name: 'dispatch_subagent', input: dispatch({ instructions: 'Isolated one.' }) },
        { name: 'dispatch_subagents', input: batch(['Inner one.', 'Inner two.']) },
        { name: 'dispatch_subagent', input: dispatch({ instructions: 'Isolated two.' }) },
      ]),
      (call) => say(call.toolResults.map(({ isError }) => (isError ? 'failed' : 'ok')).join(' ')),
    );
    const isolated = scriptByTurn(
      useTools([
        { name: 'add_plan_steps', input: { steps: ['Leaked'] } },
        { name: 'add_note', input: { text: 'Leaked' } },
      ]),
      say('Kept to itself.'),
    );
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagents', batch(['Middle.'], { may_delegate_further: 'yes' })), say('done')),
      middle,
      (call) => (reasonOf(call).startsWith('Inner') ? planner(2)(call) : isolated(call)),
    ]);
    await handle.result();
    expect(resultsOf(told(asked))).toEqual([{ success: true, output: 'ok ok ok', error: null }]);
    const expected = ['Middle. 1', ...planned(['Inner one.', 'Inner two.'], 2)].sort();
    expect(await planOf(harness.client, handle.workflowId)).toEqual(expected);
    expect(recordsOf(await sessionOf(harness.client, handle.workflowId), notesSlice)).toEqual([]);
    const [delegation] = await delegationsOf(harness.client, handle, 1);
    const below = await childrenOf(harness.client, delegation!.workflowId);
    expect(below.map(({ type }) => type)).toEqual(Array(4).fill('delegationWorkflow'));
    const { versions } = await recordOf(harness.client, await hostOf(harness.client, handle));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });
});
