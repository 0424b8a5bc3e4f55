import { once } from 'node:events';
import { z } from 'zod';
import { defineTool } from '../../../activities/tool/define-tool';
import { diagnose } from '../../../client/why';
import {
  createGate,
  fail,
  rateLimited,
  say,
  type Script,
  type ScriptedCall,
  scriptByTurn,
  useTool,
} from '../../../testing/scripted-model';
import { pauseUpdate, resumeUpdate, steerUpdate } from '../../../workflows/messages';
import { untilCancelDelivered } from '../../support/cancel-delivered';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { newTexts } from '../../support/new-texts';
import { operated, type OperatedAgent } from '../../support/parked';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';
import { kill, workersOfEachTest } from '../../support/worker-process';

const parent: Script = scriptByTurn(useTool('dispatch_subagent', dispatch()), (call) =>
  say(call.toolResults.at(-1)?.text ?? ''),
);
/** Makes a different note in each turn, and answers in the last one. */
const noting =
  (turns: number): Script =>
  ({ turn }) =>
    turn < turns - 1 ? useTool('add_note', { text: `note ${turn}` }) : say('Noted.');
/** A parent's answer, which repeats the result of its delegation, without the id of that. */
const withoutIds = (answer: unknown): string => JSON.stringify(answer).replace(/delegation_id \w+/, 'delegation_id');
const ofChild = (asked: readonly ScriptedCall[]): ScriptedCall[] => asked.filter((call) => depthOf(call) === 1);

describe('turns of a delegation that may share an activity', () => {
  let harness: Harness;
  const lingering = createGate();
  const linger = defineTool({
    name: 'linger',
    id: 'test/linger@1',
    description: 'Waits.',
    parameters: z.strictObject({}),
    success: 'It has waited.',
    cost: 'Time.',
    safeToRepeat: true,
    run: () => lingering.opened.then(() => ({ message: 'Waited.' })),
  });
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [linger] });
  });
  afterAll(() => harness.close());
  const { play: playTree, childrenOf } = treePlayer(() => harness, 'dispatch_subagent');
  const play = (scripts: readonly Script[], wishes: RunWishes = {}): ReturnType<typeof playTree> =>
    playTree(scripts, { tuning: {}, ...wishes });

  const childOf = (handle: RunHandle): Promise<OperatedAgent> =>
    until(async () => {
      const [id] = await childrenOf(handle);
      return id === undefined ? undefined : operated(harness.client, id);
    });
  const activitiesOf = async ({ handle }: OperatedAgent): Promise<string[]> => {
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: it }) => it?.activityType?.name ?? []);
  };
  const turnsOf = async (child: OperatedAgent): Promise<number> =>
    (await activitiesOf(child)).filter((name) => name === 'runTurn').length;

  test('that leave nothing to decide are taken by one activity, and equal turns that are taken one by one', async () => {
    const played = async (
      tuning: RunWishes['tuning'],
    ): Promise<{ texts: (readonly string[])[]; result: unknown; turns: number }> => {
      const { handle, asked } = await play([parent, noting(6)], { tuning });
      const { answer, usage } = await handle.result();
      const texts = ofChild(asked).map(newTexts);
      const result = { text: withoutIds(answer), usage };
      return { texts, result, turns: await turnsOf(await childOf(handle)) };
    };
    const [together, single] = [await played({}), await played({ turnsPerActivity: 1 })];
    expect(together.turns).toBe(1);
    expect(single.turns).toBe(6);
    expect(together.texts).toEqual(single.texts);
    expect(together.texts).toHaveLength(6);
    expect(together.result).toEqual(single.result);
  });

  test('are at most eight in an activity, and all of them count', async () => {
    const { handle } = await play([parent, noting(20)]);
    await handle.result();
    const child = await childOf(handle);
    expect(await turnsOf(child)).toBe(3);
    expect(await child.snapshot()).toMatchObject({ turn: 20 });
  });

  test('end where the session has to be read or a file changes, and the model sees both', async () => {
    const script = scriptByTurn(
      useTool('add_note', { text: 'one' }),
      useTool('write_artifact', { name: 'a.txt', content: 'text of a' }),
      useTool('read_artifact', { name: 'a.txt' }),
      (call) => say(call.toolResults.at(-1)?.text ?? ''),
    );
    const { handle, asked } = await play([parent, script]);
    await handle.result();
    expect(ofChild(asked).at(-1)?.toolResults.at(-1)?.text).toContain('text of a');
    expect(await turnsOf(await childOf(handle))).toBe(2);
  });

  test('that an operator steers end early, and the next one hears it', async () => {
    const gate = createGate();
    const { handle, asked } = await play([
      parent,
      async (call) => {
        if (call.turn === 1) await gate.opened;
        return noting(8)(call);
      },
    ]);
    const child = await childOf(handle);
    await until(() => (ofChild(asked).length === 2 ? true : undefined));
    await child.handle.executeUpdate(steerUpdate.name, { args: [{ text: 'Mind the gap.' }] });
    await untilCancelDelivered(child.handle);
    gate.open();
    await handle.result();
    const heard = ofChild(asked).findIndex((call) => newTexts(call).some((text) => text.includes('Mind the gap.')));
    expect(heard).toBe(2);
    expect(ofChild(asked)).toHaveLength(8);
  });

  test('that wait for another attempt when an operator steers are not paid again, and the next one hears it', async () => {
    let refused = false;
    const { handle, asked } = await play([
      parent,
      (call) => {
        if (call.turn !== 2 || refused) return noting(5)(call);
        refused = true;
        return rateLimited({ retryAfterSeconds: 120 });
      },
    ]);
    const child = await childOf(handle);
    const isWaiting = async (): Promise<true | undefined> => {
      const { raw } = await child.handle.describe();
      return raw.pendingActivities?.some(({ attempt }) => (attempt ?? 0) > 1) === true ? true : undefined;
    };
    await until(isWaiting);
    await child.handle.executeUpdate(steerUpdate.name, { args: [{ text: 'Mind the gap.' }] });
    await handle.result();
    expect(ofChild(asked).map(({ turn }) => turn)).toEqual([0, 1, 2, 2, 3, 4]);
    expect(newTexts(ofChild(asked)[3]!).join()).toContain('Mind the gap.');
  });

  test('are aborted at the deadline, in the middle of a call', async () => {
    const deadline = new Date(Date.now() + 15_000).toISOString();
    harness.model.setScript(({ turn, ...call }) =>
      turn === 2 ? new Promise(() => undefined) : noting(9)({ turn, ...call }),
    );
    const handle = await harness.startRun({ tuning: { turnsPerActivity: 8 }, deadline });
    const failed = await handle.result().catch((error: unknown) => error);
    expect(failed).toMatchObject({ cause: { type: 'Budget.Exceeded' } });
  });

  test('stop when the agent is paused, and go on when it is resumed', async () => {
    const gate = createGate();
    const { handle, asked } = await play([
      parent,
      async (call) => {
        if (call.turn === 1) await gate.opened;
        return noting(5)(call);
      },
    ]);
    const child = await childOf(handle);
    await until(() => (ofChild(asked).length === 2 ? true : undefined));
    await child.handle.executeUpdate(pauseUpdate.name, { args: [{}] });
    // The activity learns of it by a heartbeat, which also says how far it is.
    await untilCancelDelivered(child.handle);
    await until(async () => {
      const { message } = await diagnose(harness.client, handle.workflowId);
      return message.includes('the model call of turn 2') ? true : undefined;
    });
    gate.open();
    await until(async () => ((await child.snapshot()).turn === 2 ? true : undefined));
    expect((await child.snapshot()).status).toBe('paused');
    expect(ofChild(asked)).toHaveLength(2);
    await child.handle.executeUpdate(resumeUpdate.name, { args: [{}] });
    await handle.result();
    expect(ofChild(asked)).toHaveLength(5);
  });

  test('are named with the tools that run inside them when somebody asks why', async () => {
    const { handle } = await play([parent, scriptByTurn(useTool('linger', {}), say('Done.'))]);
    const { message } = await until(async () => {
      const found = await diagnose(harness.client, handle.workflowId);
      return found.message.includes('linger') ? found : undefined;
    });
    lingering.open();
    expect(message).toContain('waiting for linger in turn 1');
    await handle.result();
    expect(await activitiesOf(await childOf(handle))).not.toContain('executeTool');
  });

  test('are cancelled with the run in the middle of a call', async () => {
    const { handle, asked } = await play([
      parent,
      ({ turn }) => (turn === 2 ? new Promise(() => undefined) : noting(9)({ turn } as ScriptedCall)),
    ]);
    await until(() => (ofChild(asked).length === 3 ? true : undefined));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(ofChild(asked)).toHaveLength(3);
  });

  test('that fail are parked under their own number, and those before are not paid again', async () => {
    let broken = true;
    const { handle, asked } = await play(
      [parent, (call) => (call.turn === 3 && broken ? fail(400) : noting(5)(call))],
      { onFailure: 'hold' },
    );
    const child = await childOf(handle);
    const { id, step } = await child.incident();
    expect(step).toBe('turn 4');
    broken = false;
    await child.decide({ incident: id, action: 'retry' });
    await handle.result();
    expect(ofChild(asked).filter(({ turn }) => turn < 3)).toHaveLength(3);
    // Requested once before the decision, and once after it.
    expect(ofChild(asked).filter(({ turn }) => turn === 3)).toHaveLength(2);
  });

  test('that fail for good end the agent with everything paid before them, after one request', async () => {
    const played = async (tuning: RunWishes['tuning']): Promise<{ result: unknown; requests: number }> => {
      const scripts = [parent, (call: ScriptedCall) => (call.turn === 3 ? fail(400) : noting(5)(call))];
      const { handle, asked } = await play(scripts, { tuning });
      const { answer, usage } = await handle.result();
      return { result: { text: withoutIds(answer), usage }, requests: ofChild(asked).length };
    };
    const together = await played({});
    expect(together).toEqual(await played({ turnsPerActivity: 1 }));
    expect(together.requests).toBe(4);
  });

  test('that are worth another attempt are retried in the same activity, and those before are not paid again', async () => {
    let refused = 0;
    const { handle, asked } = await play([
      parent,
      (call) => {
        if (call.turn !== 2 || refused === 2) return noting(5)(call);
        refused += 1;
        return fail(529);
      },
    ]);
    await handle.result();
    const child = await childOf(handle);
    expect(await turnsOf(child)).toBe(1);
    expect(ofChild(asked).map(({ turn }) => turn)).toEqual([0, 1, 2, 2, 2, 3, 4]);
  });
});

describe('a worker that is killed in a burst', () => {
  let harness: Harness;
  const fork = workersOfEachTest(() => harness);
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { withWorker: false });
  });
  afterAll(() => harness.close());

  test('costs at most the call in flight, and nothing between two turns', async () => {
    const gate = createGate();
    harness.model.setScript(async (call) => {
      if (call.turn === 4 && call.attempt === 0) await gate.opened;
      return noting(7)(call);
    });
    // Dies between two turns: the second one is recorded, and the third has not begun.
    const first = await fork({ dieAtRecord: { kind: 'turn', call: 1, when: 'after' } });
    const handle = await harness.startRun({ tuning: { heartbeatTimeoutMs: 1_000, turnsPerActivity: 8 } });
    if (first.signalCode === null) await once(first, 'exit');
    expect(harness.model.calls).toHaveLength(2);
    const second = await fork();
    await harness.model.waitForCall(4);
    await kill(second);
    gate.open();
    await fork();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Noted.' }, turns: 7 });
    expect(harness.model.calls.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 4 }, () => 'answered'),
      'aborted',
      ...Array.from({ length: 3 }, () => 'answered'),
    ]);
  });
});
