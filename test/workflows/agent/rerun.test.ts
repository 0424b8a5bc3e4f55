import type { Client } from '@temporalio/client';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { auditRun, batonRun, type Baton, createBaton, type RunHandle as Run } from '../../../client';
import { hang, say, type Script, useTool, useTools } from '../../../testing/scripted-model';
import { defineTool } from '../../../worker';
import { batch } from '../../support/batches';
import { depthOf } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { historiesOf, replayAll } from '../../support/replay';

let deployed = 0;
const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys the service. Must not run twice.',
  id: 'test/deploy@1',
  parameters: z.strictObject({ version: z.string() }),
  success: 'It is deployed.',
  cost: 'Free.',
  safeToRepeat: false,
  run: () => {
    deployed += 1;
    return Promise.resolve({ message: 'Deployed.' });
  },
});

/** Turn 1 notes and writes inside the turn, turn 2 delegates, turn 3 deploys, turn 4 reads, turn 5 answers. */
const script: Script = (call) => {
  if (depthOf(call) > 0) return say('Nothing suspicious.');
  if (call.systemText.includes('Wait.'))
    return call.turn === 0 ? useTool('add_note', { text: 'one', kind: 'decision' }) : hang();
  return (
    [
      useTools([
        { name: 'add_note', input: { text: 'The port is 8080.', kind: 'decision' } },
        { name: 'write_file', input: { path: 'port.txt', content: '8080\n' } },
      ]),
      useTool('dispatch_subagents', batch(['look at the logs'])),
      useTool('deploy', { version: '2' }),
      useTool('read_file', { path: 'port.txt' }),
    ][call.turn] ?? say('Done: port 8080.')
  );
};

describe('a run that is started again from one of its turns', () => {
  let harness: Harness;
  let client: Client;
  let baton: Baton;
  const calls = (): number => harness.model.calls.length;
  const started: string[] = [];

  beforeAll(async () => {
    harness = await Harness.start(script, { tools: [deploy] });
    ({ client } = harness);
    baton = createBaton(client, { taskQueue: harness.taskQueue });
  });
  afterAll(async () => {
    for (const id of started) await replayAll(await historiesOf(client, `run/${id}`));
    await harness.close();
  });

  const original = async (wishes: object = {}): Promise<string> => {
    const folder = join(harness.folder, `project-${started.length}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'README.md'), 'A service.\n');
    const { workflowId } = await harness.startRun({ workspace: { root: folder }, ...wishes });
    return workflowId.slice('run/'.length);
  };
  const again = async (run: string, options: Parameters<Baton['rerun']>[1]): Promise<Run> => {
    const handle = await baton.rerun(run, options);
    started.push(handle.runId);
    return handle;
  };

  test('hit its turn limit: it goes on at the end, and pays only for what is new', async () => {
    const run = await original({ limits: { maxTurns: 4, maxDepth: 3, maxChildren: 9, maxParallel: 9 } });
    expect(await batonRun(client, run).result()).toMatchObject({ kind: 'failed', type: 'Agent.TurnLimit' });
    const [paid, ran] = [calls(), deployed];

    const next = await again(run, { fromTurn: 'last' });
    const outcome = await next.result();
    expect(outcome).toMatchObject({ kind: 'completed', result: { answer: { text: 'Done: port 8080.' }, turns: 1 } });
    expect(calls() - paid).toBe(1);
    expect(deployed).toBe(ran);
    const usage = harness.model.calls.at(-1)?.usage;
    if (outcome.kind !== 'completed') throw new Error('it did not complete');
    expect(outcome.result.usage).toMatchObject({ output: usage?.output_tokens });
    expect(outcome.result.delegatedUsage.output).toBe(0);
    expect(await next.snapshot()).toMatchObject({ turn: 5, maxTurns: 8, continues: { runId: run, turn: 5 } });
    expect(((await next.session()).slices['notes'] ?? []).length).toBe(1);

    // Nothing depends on the data of the first run.
    await harness.store.deleteRun(run);
    expect(await auditRun(client, harness.store.forRun(next.runId))).toMatchObject({ difference: null });
    expect(await next.changes(harness.store)).toMatchObject([{ path: 'port.txt' }]);
  });

  test('is finished: an earlier turn is asked again with the conversation, session and files of that turn', async () => {
    const run = await original();
    expect(await batonRun(client, run).result()).toMatchObject({ kind: 'completed' });
    const [paid, ran] = [calls(), deployed];
    const conversation = (call: number): readonly unknown[] => harness.model.calls[call]?.request.messages ?? [];
    const asked = harness.model.calls.map(({ request }) => request.messages.length).lastIndexOf(5);

    const next = await again(run, { fromTurn: 3, model: { name: 'claude-haiku-5-5' } });
    expect(await next.result()).toMatchObject({ kind: 'completed', result: { turns: 3 } });
    expect(calls() - paid).toBe(3);
    expect(harness.model.calls.slice(paid).map(({ model }) => model)).toEqual(Array(3).fill('claude-haiku-5-5'));
    // The delegation before that turn is only in the conversation, and the tool after it runs again.
    expect(conversation(paid)).toEqual(conversation(asked));
    expect(deployed).toBe(ran + 1);
    expect((await next.tree()).children).toEqual([]);
    expect(await auditRun(client, harness.store.forRun(next.runId))).toMatchObject({ difference: null });

    // And that one again, from a turn that it took itself, and the same as the first one from the beginning.
    const third = await again(next.runId, { fromTurn: 5, maxTurns: 6 });
    expect(await third.result()).toMatchObject({ kind: 'completed', result: { turns: 1 } });
    const anew = await again(run, {});
    expect(await anew.result()).toMatchObject({ kind: 'completed', result: { turns: 5 } });
    await expect(baton.rerun(next.runId, { fromTurn: 2 })).rejects.toThrow('from turns 3 to 5');
  });

  test('runs, and continued as new: turns of earlier executions are found', async () => {
    const run = await original({ tuning: { turnsPerExecution: 1 } });
    await batonRun(client, run).result();
    const paid = calls();
    const next = await again(run, { fromTurn: 2 });
    expect(await next.result()).toMatchObject({ kind: 'completed', result: { turns: 4 } });
    // Four of its own, and one of the delegation.
    expect(calls() - paid).toBe(5);

    const open = await original({ goal: 'Wait.' });
    await harness.model.waitForCall(calls() + 1);
    const fork = await again(open, { fromTurn: 2 });
    await harness.model.waitForCall(calls());
    expect(await fork.snapshot()).toMatchObject({ turn: 1, continues: { runId: open, turn: 2 } });
    await fork.cancel();
    await batonRun(client, open).cancel();
    expect(await fork.result()).toEqual({ kind: 'cancelled' });
  });

  test('has no such turn, or is not there: the reason is clear, and nothing is started', async () => {
    const run = await original();
    await batonRun(client, run).result();
    await expect(baton.rerun(run, { fromTurn: 9 })).rejects.toThrow(/no turn 9 .* from turns 1 to 5/s);
    await expect(baton.rerun(run, { fromTurn: 4, maxTurns: 3 })).rejects.toThrow('3 turns are taken over');
    await expect(baton.rerun('nobody')).rejects.toThrow('Run "nobody" does not exist');
    const raw = await client.workflow.start('runWorkflow', {
      workflowId: 'run/t-raw-continue',
      taskQueue: harness.taskQueue,
      args: [{ goal: 'Look.', continues: { runId: run, turn: 7 } }],
    });
    await expect(raw.result()).rejects.toMatchObject({
      cause: {
        type: 'Input.Invalid',
        message: expect.stringContaining('can be continued from turns 1 to 5') as string,
      },
    });
  });
});
