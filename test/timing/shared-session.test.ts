import { defaultLimits } from '../../domain/agent';
import { createGate, scriptByTurn, say, useTool, type ScriptedCall } from '../../testing/scripted-model';
import { batch, delegationsOf, planned, planner, planOf } from '../support/batches';
import { byDepth } from '../support/delegation-script';
import { Harness } from '../support/harness';

/** Duration in milliseconds. */
interface Write {
  readonly took: number;
  /** The part of it until a worker started the activity, in milliseconds. */
  readonly waited: number;
}

describe('a shared session responds', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  test('to fifty concurrent writers within a second, each at the first attempt', async () => {
    // Other load may spoil a single attempt, but what the session itself needs shows in each.
    const tries: number[] = [];
    while (tries.length < 5 && !tries.some((p99) => p99 < 1_000)) tries.push(await slowestOfFifty());
    expect(Math.min(...tries)).toBeLessThan(1_000);
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
    const writes: Write[] = [];
    for (const { workflowId } of await delegationsOf(harness.client, handle, 50))
      writes.push(...(await writesOf(workflowId)));
    // Prompts are prepared 40 at a time. The ten children of the second part start late, and ask for the session first.
    expect(writes).toHaveLength(110);
    const [whole, waiting] = [writes.map(({ took }) => took), writes.map(({ waited }) => waited)];
    process.stderr.write(
      `apply with 50 writers: median ${quantile(whole, 0.5)} ms, p99 ${quantile(whole, 0.99)} ms; ` +
        `of it until a worker took it ${quantile(waiting, 0.5)} and ${quantile(waiting, 0.99)} ms\n`,
    );
    return quantile(whole, 0.99);
  };

  /** The writes of a child, from being scheduled until their replies. */
  const writesOf = async (workflowId: string): Promise<Write[]> => {
    const { events = [] } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
    const msOf = (time: { seconds?: unknown; nanos?: number | null } | null | undefined): number =>
      Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
    return (events ?? []).flatMap(({ eventId, eventTime, activityTaskScheduledEventAttributes: scheduled }) => {
      if (scheduled?.activityType?.name !== 'applySession') return [];
      const ofIt = (end: { scheduledEventId?: { equals(id: unknown): boolean } | null } | null | undefined): boolean =>
        end?.scheduledEventId?.equals(eventId) === true;
      const started = events?.find(({ activityTaskStartedEventAttributes: start }) => ofIt(start));
      const completed = events?.find(({ activityTaskCompletedEventAttributes: end }) => ofIt(end));
      expect(started?.activityTaskStartedEventAttributes?.attempt).toBe(1);
      const since = (later: typeof started): number => Math.round(msOf(later?.eventTime) - msOf(eventTime));
      return [{ took: since(completed), waited: since(started) }];
    });
  };
});

function quantile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
}
