import { temporal } from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../../../activities/tool/define-tool';
import { agentTree } from '../../../client/delegation/agent-tree';
import { diagnose } from '../../../client/why';
import type { Session } from '../../../domain/session';
import { openFileStore } from '../../../store/file/open-file-store';
import {
  createGate,
  say,
  type Script,
  type ScriptedCall,
  scriptByTurn,
  useTool,
} from '../../../testing/scripted-model';
import { TestWorker } from '../../../testing/test-worker';
import { closeSessionSignal, pauseUpdate, resumeUpdate, snapshotQuery, steerUpdate } from '../../../workflows/messages';
import { FailingFiles } from '../../store/support/failing-files';
import { batch, hostOf, planned, planner, planOf, reset } from '../../support/batches';
import { byDepth } from '../../support/delegation-script';
import { untilCancelDelivered } from '../../support/cancel-delivered';
import { Harness, type RunHandle, testAddress } from '../../support/harness';
import { newTexts } from '../../support/new-texts';
import { workflowBundle } from '../../support/paths';
import { until } from '../../support/until';

const { PENDING_ACTIVITY_STATE_SCHEDULED: scheduled } = temporal.api.enums.v1.PendingActivityState;

/** More attempts than any step has that fails for another reason. */
const manyAttempts = 35;
const long = 'A result that is too long for history. '.repeat(20);

describe('while the store cannot be used', () => {
  let harness: Harness;
  let connection: NativeConnection;
  let worker: TestWorker;
  const disk = new FailingFiles();
  let folder: string;
  let sent = 0;

  /** Sends something that must not be sent twice. `down` breaks the store before the result can be stored. */
  const send = defineTool({
    name: 'send',
    id: 'test/send@1',
    description: 'Sends a letter.',
    parameters: z.strictObject({ down: z.boolean() }),
    success: 'Sent.',
    cost: 'Free.',
    safeToRepeat: false,
    run({ down }) {
      sent += 1;
      if (down) breakWith('ENOSPC');
      return Promise.resolve({ message: `${long} ${sent}` });
    },
  });

  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { withWorker: false });
    folder = join(harness.folder, 'store');
    connection = await NativeConnection.connect({ address: testAddress() });
    const store = await openFileStore(folder, { files: disk.files });
    const { client, taskQueue, model } = harness;
    worker = new TestWorker(
      {
        client,
        connection,
        namespace: 'default',
        store,
        taskQueue,
        tools: [send],
        workflowBundlePath: workflowBundle.codePath,
      },
      model,
    );
    await worker.start();
  });
  afterAll(async () => {
    await worker.stop();
    await harness.close();
    await connection.close();
  });

  function breakWith(code: string): void {
    disk.fault = { at: disk.count, calls: 'from', code };
  }

  const troubles: Readonly<Record<string, { begin(): unknown; end(): unknown }>> = {
    full: { begin: () => breakWith('ENOSPC'), end: repair },
    'read-only': { begin: () => breakWith('EROFS'), end: repair },
    broken: { begin: () => breakWith('EIO'), end: repair },
    'moved away': {
      begin: () => rename(folder, `${folder}-away`),
      end: () => rename(`${folder}-away`, folder),
    },
  };
  function repair(): void {
    disk.fault = undefined;
  }

  /** Attempts at the pending step with the most of them, of an agent and all below it. */
  async function attemptsBelow(workflowId: string): Promise<number> {
    const { raw } = await harness.client.workflow.getHandle(workflowId).describe();
    const own = (raw.pendingActivities ?? []).map(({ attempt }) => attempt ?? 0);
    const below = (raw.pendingChildren ?? []).map(({ workflowId: child }) => attemptsBelow(child ?? ''));
    return Math.max(0, ...own, ...(await Promise.all(below)));
  }

  /** Waits until a step has failed more often than the limit, then repairs the store. */
  async function outlast(handle: RunHandle, end: () => unknown): Promise<void> {
    await until(async () => ((await attemptsBelow(handle.workflowId)) > manyAttempts ? true : undefined));
    await end();
  }

  const start = (script: Script): Promise<RunHandle> => {
    harness.model.setScript(script);
    return harness.startRun({ tuning: { heartbeatTimeoutMs: 10_000, retryIntervalMs: 20 } });
  };

  const reasons = ['First.', 'Second.'];
  const tree = byDepth(
    scriptByTurn(useTool('dispatch_subagents', batch(reasons)), useTool('send', { down: false }), say('Done. ' + long)),
    planner(2),
  );
  /** Calls of the tree: three of the root, three of each delegation. */
  const calls = 9;

  test.each(Object.keys(troubles))(
    'because it is %s, a tree of agents waits, and no call is paid twice',
    async (kind) => {
      const { begin, end } = troubles[kind]!;
      const from = harness.model.calls.length;
      const before = sent;
      const outages: number[] = [];
      let handle: RunHandle | undefined = undefined;
      const waiting: Promise<void>[] = [];
      // The provider has received the request when the store breaks: its answer can't be journaled.
      const breaking = async (call: ScriptedCall): Promise<void> => {
        const index = harness.model.calls.length - from - 1;
        if (![0, 4, calls - 1].includes(index) || outages.includes(index)) return;
        outages.push(index);
        await until(() => handle);
        await begin();
        waiting.push(outlast(handle!, end));
        expect(call.attempt).toBe(0);
      };
      handle = await start(async (call) => {
        await breaking(call);
        return tree(call);
      });
      expect(await handle.result()).toMatchObject({ answer: expect.anything() as unknown, turns: 3 });
      await Promise.all(waiting);
      expect(outages).toEqual([0, 4, calls - 1]);
      expect(harness.model.calls.slice(from).map(({ outcome }) => outcome)).toEqual(Array(calls).fill('answered'));
      expect(sent - before).toBe(1);
      expect(await planOf(harness.client, handle.workflowId)).toEqual(planned(reasons, 2));
    },
  );

  test('nothing is paid for until it is back', async () => {
    const from = harness.model.calls.length;
    const told: unknown[] = [];
    const handle = await start((call) => {
      told.push(...call.toolResults);
      return call.turn === 0 ? useTool('send', { down: true }) : say('Done.');
    });
    const before = sent;
    await until(async () => ((await attemptsBelow(handle.workflowId)) > manyAttempts ? true : undefined));
    // The letter is sent, and its result waits for the store.
    expect([sent - before, harness.model.calls.length - from]).toEqual([1, 1]);
    expect(await diagnose(harness.client, handle.workflowId)).toMatchObject({
      verdict: 'waiting',
      type: 'Store.Full',
      message: expect.stringMatching(
        /^the store is full since \d.*; runs continue by themselves when it is back/,
      ) as unknown,
      commands: ['baton doctor'],
    });
    expect((await agentTree(harness.client, handle.workflowId)).storeTrouble).toMatch(/^the store is full since \d/);
    repair();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' } });
    expect(sent - before).toBe(1);
    expect(told).toMatchObject([{ isError: false, text: `${long} ${sent}` }]);
  });

  test('an answer is not paid again because an operator steers the agent that waits to store it', async () => {
    const asked: ScriptedCall[] = [];
    const answer = createGate();
    harness.model.setScript(async (call) => {
      const { turn } = call;
      asked.push(call);
      if (turn === 1) await answer.opened;
      return turn < 3 ? useTool('add_note', { text: `note ${turn}` }) : say('Done.');
    });
    const handle = await harness.startRun({ tuning: { heartbeatTimeoutMs: 2_000, turnsPerActivity: 8 } });
    await until(() => (asked.length === 2 ? true : undefined));
    await handle.executeUpdate(steerUpdate.name, { args: [{ text: 'Mind the gap.' }] });
    await untilCancelDelivered(handle);
    breakWith('ENOSPC');
    const failures = disk.count;
    answer.open();
    // Some of its writes have failed.
    await until(() => (disk.count > failures + 5 ? true : undefined));
    repair();
    await handle.result();
    expect(asked.map(({ turn }) => turn)).toEqual([0, 1, 2, 3]);
    expect(newTexts(asked[2]!).join()).toContain('Mind the gap.');
  });

  test.each(['pauses', 'steers'])(
    'an answer is not paid again because an operator %s between two attempts',
    async (how) => {
      const asked: ScriptedCall[] = [];
      harness.model.setScript((call) => {
        asked.push(call);
        if (call.turn === 1) breakWith('ENOSPC');
        // More than history has otherwise of a turn.
        return call.turn < 3 ? useTool('add_note', { text: `note ${call.turn} ${long.repeat(4)}` }) : say('Done.');
      });
      const handle = await harness.startRun({ tuning: { turnsPerActivity: 8, retryIntervalMs: 3_000 } });
      await until(() => isBetweenAttempts(handle));
      if (how === 'pauses') await handle.executeUpdate(pauseUpdate.name, { args: [{}] });
      else await handle.executeUpdate(steerUpdate.name, { args: [{ text: 'Mind the gap.' }] });
      await until(async () => ((await attemptsBelow(handle.workflowId)) > 1 ? true : undefined));
      repair();
      if (how === 'pauses') {
        await until(async () => ((await handle.query(snapshotQuery)).turn === 2 ? true : undefined));
        await handle.executeUpdate(resumeUpdate.name, { args: [{}] });
      }
      await handle.result();
      expect(asked.map(({ turn }) => turn)).toEqual([0, 1, 2, 3]);
      if (how === 'steers') expect(newTexts(asked[2]!).join()).toContain('Mind the gap.');
    },
  );

  test('an agent that was reset waits without a slot for the host of its session, which waits to store it', async () => {
    const gate = createGate();
    const handle = await start(
      byDepth(scriptByTurn(useTool('dispatch_subagents', batch(['Held.'])), say('Done.')), async (call) => {
        // Together more than the host returns without the store.
        const steps = Array.from({ length: 10 }, (_, index) => `${index} ${long.slice(0, 250)}`);
        if (call.turn < 5) return useTool('add_plan_steps', { steps });
        await gate.opened;
        return say('Planned.');
      }),
    );
    const { workflowId, firstExecutionRunId: runId } = handle;
    const host = await hostOf(harness.client, handle);
    const session = harness.client.workflow.getHandle(host.workflowId);
    await until(async () =>
      (await session.query<Session>('session')).slices['plan']?.length === 50 ? true : undefined,
    );
    breakWith('ENOSPC');
    await session.signal(closeSessionSignal);
    await until(async () => ((await attemptsBelow(host.workflowId)) > 1 ? true : undefined));
    const again = await reset(harness.client, { workflowId, runId }, host.task);
    const looks = await until(async () => {
      const { raw } = await harness.client.workflow.getHandle(workflowId, again).describe();
      const look = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'findSession');
      return (look?.attempt ?? 0) > 1 ? look : undefined;
    }, 30_000);
    expect(looks.lastFailure?.applicationFailureInfo?.type).toBe('Delegation.Running');
    repair();
    gate.open();
    expect(await harness.client.workflow.getHandle(workflowId, again).result()).toMatchObject({
      answer: { text: 'Done.' },
    });
  });

  /** Whether a turn waits for its next attempt. The server ends one that is cancelled then, and forgets its heartbeats. */
  async function isBetweenAttempts(handle: RunHandle): Promise<true | undefined> {
    const { raw } = await handle.describe();
    const waits = (raw.pendingActivities ?? []).some(({ attempt, state }) => (attempt ?? 0) > 1 && state === scheduled);
    return waits ? true : undefined;
  }
});
