import { z } from 'zod';
import { defineTool } from '../../../activities/tool/define-tool';
import { createGate, scriptByTurn, say, useTool, useTools, type ScriptedCall } from '../../../testing/scripted-model';
import { batch, hostOf, planned, planner, planOf, recordOf } from '../../support/batches';
import { byDepth } from '../../support/delegation-script';
import { Harness } from '../../support/harness';

/** Fills a session quickly: as many notes per call as history allows, each about a kilobyte. */
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

  // Each of them needs the whole session, because every Update ends in a new execution of the host. Together that is
  // more than fits into a payload.
  test('reaches twenty concurrent writers that all need the whole session', async () => {
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
        scriptByTurn(useTools(notes), useTool('dispatch_subagents', batch(reasons)), say('done')),
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
    expect(executions).toBe(versions.length + 1);
  });
});
