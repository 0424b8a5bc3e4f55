import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultLimits } from '../../../domain/agent';
import {
  createGate,
  hang,
  refuse,
  say,
  type Script,
  scriptByTurn,
  type ScriptedCall,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { batch, delegationsOf, reasonOf, reset } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunWishes } from '../../support/harness';
import { operated } from '../../support/parked';
import { historiesOf, replayAll } from '../../support/replay';
import { leave, leaveTool, leftIn, look, type Look, lookTool, seenBy } from '../../support/session-look';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

/** A model that can request 40 delegations in one reply. */
const roomy = { name: 'claude-sonnet-5-5', maxTokens: 40_000, window: 1_000_000 };

describe('a child that starts after others have written to their shared session', () => {
  let harness: Harness;
  let root: string;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [lookTool, leaveTool] });
    root = join(harness.folder, 'mounted');
    await mkdir(root);
    await writeFile(join(root, 'old.txt'), 'old\n');
  });
  afterAll(() => harness.close());

  const { play } = treePlayer(() => harness, 'dispatch_subagents');
  const sharing = (...reasons: string[]): Script =>
    scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('done'));
  const atATime = (maxParallel: number, more: RunWishes = {}): RunWishes => ({
    workspace: { root },
    limits: { ...defaultLimits, maxParallel },
    ...more,
  });
  /** Leaves its records in its first turn, then ends. */
  const writer: Script = (call) => (call.turn === 0 ? leave(reasonOf(call)) : say('Written.'));
  /** Looks in its first turn and answers with what it saw. */
  const looker: Script = scriptByTurn(look, (call) => say(`Saw ${[...leftIn(seenBy(call))].sort().join(' and ')}.`));
  const answerOf = (asked: readonly ScriptedCall[]): string =>
    asked.filter((call) => depthOf(call) === 0).at(-1)?.toolResults[0]?.text ?? '';
  const asking = (asked: readonly ScriptedCall[], reason: string, turn: number): Promise<ScriptedCall> =>
    until(() => asked.find((call) => reasonOf(call) === reason && call.turn === turn));
  /** How often each execution asked its host for nothing but the changes of others. */
  const catchUps = async (workflowId: string): Promise<number> => {
    const executions = await historiesOf(harness.client, workflowId);
    const summaries = executions.flatMap(({ history }) =>
      (history.events ?? []).flatMap(({ userMetadata }) => Buffer.from(userMetadata?.summary?.data ?? []).toString()),
    );
    return summaries.filter((summary) => summary.includes('catch up with the session')).length;
  };

  test('sees in its first turn what all before it left, in a batch of 40 of which 4 run at a time', async () => {
    const reasons = Array.from({ length: 40 }, (_, index) => `c${index}`);
    const [wanted, written] = [new Set<string>(), new Set<string>()];
    const atLeast = new Map<string, ReadonlySet<string>>();
    const saw = new Map<string, { readonly seen: Look; readonly atMost: ReadonlySet<string> }>();
    const child: Script = (call) => {
      const name = reasonOf(call);
      if (call.turn === 0) {
        atLeast.set(name, new Set(written));
        wanted.add(name);
        return useTools([
          { name: 'look', input: {} },
          { name: 'leave', input: { name } },
        ]);
      }
      saw.set(name, { seen: seenBy(call), atMost: new Set(wanted) });
      // Its writes have been answered, otherwise the model would not be called again.
      written.add(name);
      return say('Written.');
    };
    const { handle } = await play([sharing(...reasons), child], atATime(4, { model: roomy }));
    await handle.result();
    expect(saw.size).toBe(40);
    for (const [name, { seen, atMost }] of saw) {
      const left = leftIn(seen);
      expect([...(atLeast.get(name) ?? [])].filter((other) => !left.has(other))).toEqual([]);
      expect([...left].filter((other) => !atMost.has(other))).toEqual([]);
      expect(seen.files).toContain('old.txt');
    }
    // The last one started when at least 36 others had ended.
    expect(leftIn(saw.get('c39')!.seen).size).toBeGreaterThanOrEqual(36);
    const children = await delegationsOf(harness.client, handle, 40);
    // The first ones have nothing to catch up with, and do not ask.
    const sample = [0, 1, 2, 3, 4, 20, 39].map((index) => catchUps(children[index]!.workflowId));
    expect(await Promise.all(sample)).toEqual([0, 0, 0, 0, 1, 1, 1]);
  });

  test('sees in a nested batch what agents of the outer batch wrote since its parent last heard from the host', async () => {
    const [outerWritten, middleReady] = [createGate(), createGate()];
    const outer: Script = async (call) => {
      await middleReady.opened;
      if (call.turn > 0) outerWritten.open();
      return writer(call);
    };
    const middle = scriptByTurn(
      leave('Middle'),
      async () => {
        middleReady.open();
        await outerWritten.opened;
        return useTool('dispatch_subagents', batch(['Inner']));
      },
      (call) => say(call.toolResults[0]!.text),
    );
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('dispatch_subagents', batch(['Outer', 'Middle'], { may_delegate_further: 'yes' })),
          say('done'),
        ),
        (call) => (reasonOf(call) === 'Outer' ? outer(call) : middle(call)),
        looker,
      ],
      atATime(2),
    );
    await handle.result();
    expect(answerOf(asked)).toContain('Saw Middle and Outer.');
  });

  test('gives its isolated delegations one version of the session and the files', async () => {
    const [outerWritten, firstStarted] = [createGate(), createGate()];
    const outer: Script = async (call) => {
      await firstStarted.opened;
      if (call.turn > 0) outerWritten.open();
      return writer(call);
    };
    const middle = scriptByTurn(
      leave('Middle'),
      // Two at a time: the third one starts when its parent has heard of what the other agent wrote.
      useTools(
        ['First.', 'Second.', 'Third.'].map((instructions) => ({
          name: 'dispatch_subagent',
          input: dispatch({ instructions }),
        })),
      ),
      (call) => say(call.toolResults.map(({ text }) => text).join('\n')),
    );
    const isolated: Script = async (call) => {
      if (call.turn > 0 || call.systemText.includes('Third.')) return looker(call);
      firstStarted.open();
      await outerWritten.opened;
      return look();
    };
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('dispatch_subagents', batch(['Outer', 'Middle'], { may_delegate_further: 'yes' })),
          say('done'),
        ),
        (call) => (reasonOf(call) === 'Outer' ? outer(call) : middle(call)),
        isolated,
      ],
      atATime(2),
    );
    await handle.result();
    const isolatedSaw = asked.filter((call) => depthOf(call) === 2 && call.turn === 1).map(seenBy);
    expect(isolatedSaw.map((seen) => [...leftIn(seen)])).toEqual([['Middle'], ['Middle'], ['Middle']]);
  });

  test('sees what others wrote while it waited for an operator, or was started again by one', async () => {
    const gate = createGate();
    // Not by the number of attempts: on a busy machine, an attempt can be lost and repeated.
    let [isClosed, isDecided] = [false, false];
    const child: Script = async (call) => {
      const reason = reasonOf(call);
      if (reason === 'Steady') {
        await gate.opened;
        return writer(call);
      }
      if (call.turn > 0) return looker(call);
      if (reason === 'Closed' && !isClosed) return hang();
      return reason === 'Parked' && !isDecided ? refuse() : look();
    };
    const { handle, asked } = await play(
      [sharing('Closed', 'Parked', 'Steady'), child],
      atATime(3, { onFailure: 'hold' }),
    );
    await asking(asked, 'Closed', 0);
    const [closed, parked, steady] = await delegationsOf(harness.client, handle, 3);
    const incident = await operated(harness.client, parked!.workflowId).incident();
    await harness.client.workflow.getHandle(closed!.workflowId).terminate('test');
    isClosed = true;
    gate.open();
    await harness.client.workflow.getHandle(steady!.workflowId).result();
    isDecided = true;
    await operated(harness.client, parked!.workflowId).decide({ incident: incident.id, action: 'retry' });
    const parent = operated(harness.client, handle.workflowId);
    await parent.decide({ incident: (await parent.incident()).id, action: 'retry' });
    await handle.result();
    expect(answerOf(asked).match(/Saw [^.]*\./g)).toEqual(['Saw Steady.', 'Saw Steady.']);
  });

  test('sees it also when its parent was reset in the meantime, and so do those that are adopted', async () => {
    const gate = createGate();
    let isReset = false;
    const held = scriptByTurn(
      useTool('grep', { pattern: 'x' }),
      async () => {
        await gate.opened;
        return useTool('grep', { pattern: 'y' });
      },
      look,
      (call) => say(`Saw ${[...leftIn(seenBy(call))].sort().join(' and ')}.`),
    );
    const child: Script = (call) => {
      const reason = reasonOf(call);
      if (reason === 'Quick') return writer(call);
      if (reason === 'Held') return held(call);
      return isReset ? looker(call) : refuse();
    };
    const { handle, asked } = await play([sharing('Frail', 'Held', 'Quick'), child], atATime(3));
    const [frail, , quick] = await delegationsOf(harness.client, handle, 3);
    await asking(asked, 'Held', 1);
    await harness.client.workflow.getHandle(quick!.workflowId).result();
    await harness.client.workflow
      .getHandle(frail!.workflowId)
      .result()
      .catch(() => undefined);
    isReset = true;
    // To the task in which the children were started: their host was started before it.
    const again = await reset(harness.client, { ...handle, runId: handle.firstExecutionRunId }, frail!.task);
    await asking(asked, 'Frail', 1);
    gate.open();
    await harness.client.workflow.getHandle(handle.workflowId, again).result();
    expect(answerOf(asked).match(/Saw [^.]*\./g)).toEqual(['Saw Quick.', 'Saw Quick.']);
    expect(await catchUps(frail!.workflowId)).toBe(1);
    await replayAll(await historiesOf(harness.client, handle.workflowId, again));
  });

  test('catches up once, although it continues as new', async () => {
    const late = scriptByTurn(
      look,
      () => look(),
      (call) => say(`Saw ${[...leftIn(seenBy(call))].sort().join(' and ')}.`),
    );
    const { handle, asked } = await play(
      [sharing('First', 'Late'), (call) => (reasonOf(call) === 'First' ? writer(call) : late(call))],
      atATime(1, { tuning: { turnsPerExecution: 1 } }),
    );
    await harness.client.workflow.getHandle(handle.workflowId).result();
    expect(answerOf(asked)).toContain('Saw First.');
    const seen = asked.filter((call) => reasonOf(call) === 'Late' && call.turn > 0).map(seenBy);
    expect(seen.map((one) => [...leftIn(one)])).toEqual([['First'], ['First']]);
    const [, second] = await delegationsOf(harness.client, handle, 2);
    const executions = await historiesOf(harness.client, second!.workflowId, second!.runId);
    expect(executions.length).toBeGreaterThan(1);
  });
});
