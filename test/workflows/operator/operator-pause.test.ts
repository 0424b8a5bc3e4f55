import { createGate, fail, hang, scriptByTurn, say, useTool, type ScriptedCall } from '../../../testing/scripted-model';
import { pauseUpdate, resumeUpdate, steerUpdate } from '../../../workflows/messages';
import { batch, delegationsOf, reasonOf } from '../../support/batches';
import { byDepth, depthOf } from '../../support/delegation-script';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { operated, refusalOf, type OperatedAgent } from '../../support/parked';
import { until } from '../../support/until';

const note = useTool('add_note', { text: 'x' });

describe('operators of a running run', () => {
  let harness: Harness;
  let asked: ScriptedCall[];
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(() => harness.close());

  const startTree = async (
    child: (call: ScriptedCall) => ReturnType<ReturnType<typeof scriptByTurn>>,
    wishes: RunWishes = {},
    reasons = ['one', 'two'],
  ): Promise<{ run: RunHandle; root: OperatedAgent; children: OperatedAgent[] }> => {
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('done')), child)(call);
    });
    const run = await harness.startRun(wishes);
    const started = await delegationsOf(harness.client, run, reasons.length);
    const children = started.map(({ workflowId }) => operated(harness.client, workflowId));
    return { run, root: operated(harness.client, run.workflowId), children };
  };
  const isAsked = (reason: string, turn: number): Promise<ScriptedCall> =>
    until(() => asked.find((call) => depthOf(call) === 1 && reasonOf(call) === reason && call.turn === turn));
  const allAre = (agents: readonly OperatedAgent[], wanted: string | null): Promise<true> =>
    until(async () => {
      const statuses = await Promise.all(agents.map(({ status }) => status()));
      return statuses.every((status) => status === wanted) || undefined;
    });

  test('while it is paused, no agent below calls the model, not even on other workers, until it is resumed', async () => {
    const gate = createGate();
    const { run, root, children } = await startTree(async (call) => {
      if (call.turn === 1) await gate.opened;
      return call.turn < 3 ? note : say('Answer.');
    });
    await Promise.all([isAsked('one', 1), isAsked('two', 1)]);
    expect(await root.handle.executeUpdate(pauseUpdate.name, { args: [{}] })).toEqual({
      state: 'paused: no model call is made until it is resumed',
    });
    await allAre([root, ...children], 'paused');
    gate.open();
    // The calls in progress end, and their tools run.
    await until(async () => {
      const turns = await Promise.all(children.map(async ({ snapshot }) => (await snapshot()).turn));
      return turns.every((turn) => turn === 2) || undefined;
    });
    const before = asked.length;
    await harness.stopWorker();
    await harness.startWorker();
    expect((await root.snapshot()).status).toBe('paused');
    expect((await children[0]!.snapshot()).status).toBe('paused');
    expect(await children[0]!.details()).toContain('**paused**');
    expect(asked.length).toBe(before);
    await root.handle.executeUpdate(resumeUpdate.name, { args: [{}] });
    await run.result();
    expect(asked.filter((call) => depthOf(call) === 1)).toHaveLength(8);
    await allAre([root, ...children], null);
  });

  test('it stays paused when it continues as new, and is no longer listed as paused once resumed', async () => {
    const gates = [createGate(), createGate()];
    harness.model.setScript(async (call) => {
      asked.push(call);
      await gates[call.turn]?.opened;
      return call.turn === 0 ? note : say('done');
    });
    const run = await harness.startRun({ tuning: { turnsPerExecution: 1 } });
    const root = operated(harness.client, run.workflowId);
    await until(() => asked[0]);
    await root.handle.executeUpdate(pauseUpdate.name, { args: [{}] });
    gates[0]?.open();
    await until(async () => (await root.handle.describe()).runId !== run.firstExecutionRunId || undefined);
    expect(await root.snapshot()).toMatchObject({ status: 'paused', turn: 1 });
    expect(await root.status()).toBe('paused');
    expect(asked).toHaveLength(1);
    await root.handle.executeUpdate(resumeUpdate.name, { args: [{}] });
    await until(() => asked[1]);
    await allAre([root], null);
    gates[1]?.open();
    await run.result();
  });

  test('a steering message is sent with the next turn, once', async () => {
    const gate = createGate();
    const { run, children } = await startTree(
      async (call) => {
        if (call.turn === 1) await gate.opened;
        return call.turn < 3 ? note : say('Answer.');
      },
      {},
      ['one'],
    );
    await isAsked('one', 1);
    const [child] = children;
    await child!.handle.executeUpdate(steerUpdate, { args: [{ text: ' Look at the cart first. ', by: 'ann' }] });
    expect(await refusalOf(child!.handle.executeUpdate(steerUpdate, { args: [{ text: ' ' }] }))).toBe(
      'text: must not be empty.',
    );
    const long = 'x'.repeat(3_990);
    expect(await refusalOf(child!.handle.executeUpdate(steerUpdate, { args: [{ text: long }] }))).toBe(
      'text: the next turn can send at most 4000 characters to the model, and 23 are already waiting. Shorten the text.',
    );
    gate.open();
    await run.result();
    const heard = asked
      .filter((call) => depthOf(call) === 1)
      .map((call) => JSON.stringify(call.request.messages).split('Look at the cart first.').length - 1);
    expect(heard).toEqual([0, 0, 1, 1]);
    const last = (await isAsked('one', 2)).request.messages.at(-1);
    expect(JSON.stringify(last)).toContain('Look at the cart first.');
  });

  test('a cancelled tree whose agents wait for an operator, for a resume or for the model ends soon', async () => {
    const { run, children } = await startTree(
      (call) => {
        if (reasonOf(call) === 'one') return fail(401);
        return reasonOf(call) === 'two' && call.turn === 0 ? note : hang({ afterEvents: 3, answer: say('Endless') });
      },
      { onFailure: 'hold', tuning: {} },
      ['one', 'two', 'three'],
    );
    await children[0]!.incident();
    await isAsked('two', 1);
    await isAsked('three', 0);
    await children[1]!.handle.executeUpdate(pauseUpdate.name, { args: [{}] });
    const from = Date.now();
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    const statuses: string[] = [];
    const query = `WorkflowId STARTS_WITH "${run.workflowId}"`;
    await until(async () => {
      statuses.length = 0;
      for await (const { status } of harness.client.workflow.list({ query })) statuses.push(status.name);
      return statuses.length === 5 && !statuses.includes('RUNNING') ? true : undefined;
    });
    // Without the cancellation, two of them would wait for ever and the call would time out after two minutes.
    expect(Date.now() - from).toBeLessThan(60_000);
    const ended = await Promise.all(children.map(async ({ handle }) => (await handle.describe()).status.name));
    expect(ended).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    expect(await children[0]!.status()).toBeNull();
  });
});
