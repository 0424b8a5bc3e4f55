import { batch, childrenOf } from '../../support/batches';
import { byDepth, dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { until } from '../../support/until';
import { refuse, say, scriptByTurn, useTools } from '../../../testing/scripted-model';

const day = 24 * 60 * 60;

describe('a run with a hold of 30 days and a deadline in 60', () => {
  let harness: Harness;
  beforeAll(async () => {
    const root = scriptByTurn(
      useTools([
        { name: 'dispatch_subagents', input: batch(['A.']) },
        { name: 'dispatch_subagent', input: dispatch() },
      ]),
      say('Done.'),
    );
    harness = await Harness.start(byDepth(root, () => refuse()));
  });
  afterAll(() => harness.close());

  test('has no other limit of time: neither a delegation nor the host of a session ends earlier', async () => {
    const deadline = new Date(Date.now() + 60 * day * 1_000).toISOString();
    const run = await harness.startRun({ onFailure: 'hold', holdMs: 30 * day * 1_000, deadline });
    const children = await until(async () => {
      const started = await childrenOf(harness.client, run.workflowId);
      return started.length < 3 ? undefined : started;
    });
    expect(children.map(({ type }) => type).sort()).toEqual([
      'delegationWorkflow',
      'delegationWorkflow',
      'sessionWorkflow',
    ]);
    for (const { workflowId, runId, type } of children) {
      const isParked = type === 'delegationWorkflow';
      const { timeouts, timers } = await until(async () => {
        const limits = await limitsOf(workflowId, runId);
        return !isParked || limits.timers.length === 2 ? limits : undefined;
      });
      // The server's word for none.
      expect(timeouts).toEqual([0, 0]);
      // The host's timer does not end it: every ten minutes it looks whether its parent is open.
      if (isParked) expect(timers.map((seconds) => Math.round(seconds / day))).toEqual([60, 30]);
      else expect(timers).toEqual([600]);
    }
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
  });

  /** The timeouts that an execution was started with, and the timers that it has started, in seconds. */
  async function limitsOf(workflowId: string, runId: string): Promise<{ timeouts: number[]; timers: number[] }> {
    const { events = [] } = await harness.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const started = events?.[0]?.workflowExecutionStartedEventAttributes;
    const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => timer?.startToFireTimeout ?? []);
    return {
      timeouts: [started?.workflowExecutionTimeout, started?.workflowRunTimeout].map((time) =>
        Number(time?.seconds ?? 0),
      ),
      timers: timers.map(({ seconds }) => Number(seconds ?? 0)),
    };
  }
});
