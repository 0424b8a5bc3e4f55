import { z } from 'zod';
import { defineTool, ToolError } from '../../../activities/tool/define-tool';
import { defaultLimits } from '../../../domain/agent';
import { runIdOf } from '../../../domain/kernel';
import { readSpilled } from '../../../store/blobs';
import {
  refuse,
  say,
  type Script,
  scriptByTurn,
  type ScriptedCall,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { snapshotQuery } from '../../../workflows/messages';
import { failureOf } from '../../support/failures';
import { Harness } from '../../support/harness';
import { until } from '../../support/until';

const echo = defineTool({
  name: 'echo',
  id: 'test/echo@1',
  description: 'Says the same.',
  parameters: z.strictObject({ text: z.string() }),
  success: 'The text.',
  cost: 'None.',
  safeToRepeat: true,
  run({ text }) {
    if (text === 'fail') throw new ToolError('asked to fail');
    if (text === 'bug') throw new TypeError('undefined is not a tool');
    return Promise.resolve({ message: text });
  },
});

const [started, ended] = [new Set<number>(), [] as number[]];
const countdown = defineTool({
  name: 'countdown',
  id: 'test/countdown@1',
  description: 'Waits until calls 1, 2 and 3 have started. Then call 3 ends first, and call 1 last.',
  parameters: z.strictObject({ number: z.int() }),
  success: 'The number of the call.',
  cost: 'None.',
  safeToRepeat: true,
  async run({ number }) {
    started.add(number);
    await until(() => (started.size === 3 && ended.length >= 3 - number) || undefined);
    ended.push(number);
    return { message: `call ${number}` };
  },
});

describe('a run', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [echo, countdown] });
  });
  afterAll(() => harness.close());

  const runWith = async (script: Script, wishes = {}): Promise<Awaited<ReturnType<Harness['startRun']>>> => {
    harness.model.setScript(script);
    return harness.startRun(wishes);
  };

  test('sends the goal to the model and ends with its answer', async () => {
    const asked: ScriptedCall[] = [];
    const handle = await runWith(
      (call) => {
        asked.push(call);
        return say('Forty-two.');
      },
      { goal: 'What is the answer to everything?' },
    );
    expect(await handle.result()).toMatchObject({ answer: { text: 'Forty-two.' }, turns: 1 });
    expect(asked[0]?.systemText).toContain('What is the answer to everything?');
  });

  test('runs the tool calls of one reply concurrently and returns their results in the order of the calls', async () => {
    const results: string[][] = [];
    const handle = await runWith((call) => {
      results.push(call.toolResults.map(({ text }) => text));
      return call.turn === 0
        ? useTools([1, 2, 3].map((number) => ({ name: 'countdown', input: { number } })))
        : say('done');
    });
    await handle.result();
    expect(ended).toEqual([3, 2, 1]);
    expect(results[1]).toEqual(['call 1', 'call 2', 'call 3']);
  });

  test('reports a failing, a broken, an unknown and a wrongly called tool to the model, and continues', async () => {
    let told: readonly { text: string; isError: boolean }[] = [];
    const handle = await runWith((call) => {
      told = call.toolResults;
      return call.turn === 0
        ? useTools([
            { name: 'echo', input: { text: 'fail' } },
            { name: 'echo', input: { text: 'bug' } },
            { name: 'echo', input: { text: 7 } },
            { name: 'ech0', input: {} },
          ])
        : say('I see.');
    });
    expect(await handle.result()).toMatchObject({ answer: { text: 'I see.' } });
    expect(told.map(({ isError }) => isError)).toEqual([true, true, true, true]);
    expect(told[0]?.text).toBe('asked to fail');
    expect(told[1]?.text).toContain('undefined is not a tool');
    expect(told[2]?.text).toMatch(/text: .*expected string/);
    expect(told[3]?.text).toMatch(/no tool named "ech0".*echo/s);
  });

  test('fails at the turn limit with its own failure type', async () => {
    const handle = await runWith(() => useTool('echo', { text: 'again' }), {
      limits: { ...defaultLimits, maxTurns: 3 },
    });
    expect(await failureOf(handle)).toMatchObject({ type: 'Agent.TurnLimit' });
    expect(await failureOf(handle)).toHaveProperty('details.0.turns', 3);
  });

  test('assembles an answer that the output limit split into several replies', async () => {
    const handle = await runWith(
      scriptByTurn(
        say('One, two, ', { stopReason: 'max_tokens' }),
        say('three, ', { stopReason: 'max_tokens' }),
        say('four.'),
      ),
    );
    expect(await handle.result()).toMatchObject({ answer: { text: 'One, two, three, four.' }, turns: 3 });
  });

  test('never runs a tool call that the output limit truncated', async () => {
    let told = '';
    const handle = await runWith((call) => {
      told = call.toolResults[0]?.text ?? told;
      return call.turn === 0 ? useTool('echo', { text: 'x'.repeat(100) }, { stopReason: 'max_tokens' }) : say('ok');
    });
    await handle.result();
    expect(told).toMatch(/^Not run: .*cut off/);
  });

  test('fails with its own failure type when the model refuses', async () => {
    expect(await failureOf(await runWith(() => refuse()))).toMatchObject({ type: 'Model.Refused' });
  });

  test('keeps a long answer out of history', async () => {
    const long = 'All work and no play. '.repeat(5_000);
    const handle = await runWith(() => say(long), {
      model: { name: 'claude-sonnet-5-5', maxTokens: 60_000, window: 200_000 },
    });
    const { answer } = await handle.result();
    expect(answer).toHaveProperty('ref.bytes', long.length);
    expect(await readSpilled(harness.store.forRun(runIdOf(handle.workflowId)!), answer, 'test')).toBe(long);
    expect((await handle.describe()).historySize).toBeLessThan(10_000);
  });

  test('continues as new when its history gets long, without losing anything', async () => {
    const seen: number[] = [];
    const handle = await runWith(
      (call) => {
        seen.push(call.toolExchanges.length);
        return call.turn < 7 ? useTool('echo', { text: `step ${call.turn}` }) : say('Seven steps.');
      },
      { tuning: { turnsPerExecution: 3 } },
    );
    expect(await handle.result()).toMatchObject({ answer: { text: 'Seven steps.' }, turns: 8 });
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect((await harness.client.workflow.getHandle(handle.workflowId).describe()).runId).not.toBe(
      handle.firstExecutionRunId,
    );
  });

  test('reports its status to queries, and in the current details of the Web UI', async () => {
    const handle = await runWith((call) => (call.turn === 0 ? useTool('echo', { text: 'hm' }) : say('done')));
    const { usage } = await handle.result();
    const snapshot = await handle.query(snapshotQuery);
    expect(snapshot).toMatchObject({ status: 'completed', turn: 2, usage, window: 200_000 });
    expect(snapshot.occupancy).toBeGreaterThan(0);
    expect(
      await harness.client.workflow.getHandle(handle.workflowId).query('__temporal_workflow_metadata'),
    ).toMatchObject({
      currentDetails: expect.stringContaining('turn 2 of 50') as unknown,
    });
  });

  test.each([undefined, null, 'text', 7, [], {}, { runId: 'x', goal: '' }])(
    'refuses to start from %j instead of hanging',
    async (input) => {
      const handle = await harness.client.workflow.start('runWorkflow', {
        workflowId: `run/garbage-${JSON.stringify(input) || 'nothing'}-${Date.now()}`,
        taskQueue: harness.taskQueue,
        args: [input],
      });
      expect(await failureOf(handle)).toMatchObject({ type: 'Input.Invalid' });
    },
  );
});
