import { z } from 'zod';
import { defineTool } from '../../activities/tools/tool';
import { createGate, inTurns, say, useTool, useTools, type ScriptedCall } from '../../scripted-model';
import { batch, hostOf, planned, planner, planOf, recordOf } from '../support/batches';
import { byDepth } from '../support/delegation-script';
import { Harness } from '../support/harness';

/** Fills a session quickly: as many notes as may pass through history at a time, each about a kilobyte. */
const takeNotesTool = defineTool({
  name: 'take_notes',
  id: 'test/take_notes@1',
  description: 'Takes many notes at once.',
  parameters: z.strictObject({ from: z.int() }),
  success: 'They are taken.',
  cost: 'Free.',
  safeToRepeat: true,
  run: ({ from }, { agent }) =>
    Promise.resolve({
      message: 'Noted.',
      events: Array.from({ length: 14 }, (_, index) => ({
        type: 'noteAdded',
        value: { text: `${from + index} `.padEnd(1_000, 'x'), by: agent },
      })),
    }),
});

describe('a large shared session', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [takeNotesTool] });
  });
  afterAll(() => harness.close());

  // Each of them needs it whole, since every Update ends in a new execution of the host: together more than a payload holds.
  test('reaches twenty writers at the same moment, all of whom need it whole', async () => {
    const reasons = Array.from({ length: 20 }, (_, index) => `Writer ${index}.`);
    const gate = createGate();
    let waiting = 0;
    const together = async ({ turn }: ScriptedCall): Promise<void> => {
      if (turn === 0 && (waiting += 1) === reasons.length) gate.open();
      if (turn === 0) await gate.opened;
    };
    const notes = Array.from({ length: 13 }, (_, index) => ({ name: 'take_notes', input: { from: index * 14 } }));
    harness.model.setScript(
      byDepth(
        inTurns(useTools(notes), useTool('dispatch_subagents', batch(reasons)), say('done')),
        planner(2, together),
      ),
    );
    const handle = await harness.startRun({
      model: { name: 'claude-sonnet-5-5', maxTokens: 20_000, window: 200_000 },
      tuning: { heartbeatTimeoutMs: 5_000, requestsPerHost: 1 },
    });
    await handle.result();
    expect(await planOf(harness.client, handle.workflowId)).toEqual(planned(reasons, 2));
    const { executions, versions } = await recordOf(harness.client, await hostOf(harness.client, handle));
    const { historiesOf } = await import('../support/replay'); const { decodeArrayFromPayloads } = await import('@temporalio/common/lib/internal-non-workflow'); const h = await hostOf(harness.client, handle); for (const { history } of await historiesOf(harness.client, h.workflowId, h.runId)) for (const e of history.events ?? []) { const p = e.workflowExecutionUpdateCompletedEventAttributes?.outcome?.success?.payloads; if (p) { const [r] = (await decodeArrayFromPayloads(harness.client.options.loadedDataConverter, p)) as any; const n = r.replies.filter((x: any) => x.update === 'newest').length; process.stderr.write(`replies ${r.replies.length} newest ${n} session ${JSON.stringify(r.newest ?? 0).length} naive ${n * JSON.stringify(r.newest ?? 0).length} sent ${p[0].data.length}\n`); } } expect(executions).toBe(versions.length + 1);
  });
});
