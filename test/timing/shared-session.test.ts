import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { z } from 'zod';
import { defaultLimits } from '../../domain/agent';
import { createGate, scriptByTurn, say, useTool, type ScriptedCall } from '../../testing/scripted-model';
import { batch, delegationsOf, planned, planner, planOf } from '../support/batches';
import { byDepth } from '../support/delegation-script';
import { Harness } from '../support/harness';

describe('a shared session responds', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  test('to fifty concurrent writers within half a second', async () => {
    // Other load may spoil a single attempt, but what the session itself needs shows in each.
    const tries: number[] = [];
    while (tries.length < 5 && !tries.some((p99) => p99 < 500)) tries.push(await slowestOfFifty());
    expect(Math.min(...tries)).toBeLessThan(500);
  });

  /** The 99th percentile of a hundred writes, in milliseconds. */
  const slowestOfFifty = async (): Promise<number> => {
    const reasons = Array.from({ length: 50 }, (_, index) => `Writer ${index}.`);
    const gates = [createGate(), createGate()];
    const arrived = [0, 0];
    // All of them write at the same moment, twice.
    const together = async ({ turn }: ScriptedCall): Promise<void> => {
      const gate = gates[turn];
      if (gate === undefined) return;
      if ((arrived[turn] = arrived[turn]! + 1) === reasons.length) gate.open();
      await gate.opened;
    };
    harness.model.setScript(
      byDepth(scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('done')), planner(2, together)),
    );
    const handle = await harness.startRun({
      limits: { ...defaultLimits, maxParallel: 50 },
      // A batch of fifty is a long reply.
      model: { name: 'claude-sonnet-5-5', maxTokens: 20_000, window: 200_000 },
      tuning: {},
    });
    await handle.result();
    expect(await planOf(harness.client, handle.workflowId)).toEqual(planned(reasons, 2));
    const children = await delegationsOf(harness.client, handle, 50);
    const writes = (await Promise.all(children.map(({ workflowId }) => writesOf(workflowId)))).flat();
    // Prompts are prepared 40 at a time. The ten children of the second part start late, and ask for the session first.
    expect(writes).toHaveLength(110);
    process.stderr.write(
      `apply with 50 writers: median ${quantile(writes, 0.5)} ms, p99 ${quantile(writes, 0.99)} ms\n`,
    );
    return quantile(writes, 0.99);
  };

  /** The writes of a child in milliseconds, from being sent until their replies: turns make them, or activities. */
  const writesOf = async (workflowId: string): Promise<number[]> => {
    const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
    const found = (events ?? []).map(async ({ eventTime, activityTaskCompletedEventAttributes: completed }) => {
      const ofIt = ({ eventId }: { eventId?: unknown }): boolean =>
        completed != null && String(eventId) === String(completed.scheduledEventId);
      const scheduled = events?.find(ofIt);
      if (scheduled?.activityTaskScheduledEventAttributes?.activityType?.name === 'applySession')
        return [Math.round(msOf(eventTime) - msOf(scheduled.eventTime))];
      const { loadedDataConverter } = harness.client.options;
      const [result] = await decodeArrayFromPayloads(loadedDataConverter, completed?.result?.payloads);
      return z.object({ applyMs: z.number() }).safeParse(result).data?.applyMs ?? [];
    });
    return (await Promise.all(found)).flat();
  };
});

function msOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}

function quantile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
}
