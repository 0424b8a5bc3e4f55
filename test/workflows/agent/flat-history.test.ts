import { z } from 'zod';
import { defineTool } from '../../../activities/tool/define-tool';
import { defaultLimits } from '../../../domain/agent';
import { runIdOf } from '../../../domain/kernel';
import { say, turns, type Script } from '../../../testing/scripted-model';
import { Harness } from '../../support/harness';

/** More than the history of one turn may grow. */
const resultBytes = 6_000;
/** First and last turn of each measured range. */
const stretches = [
  [5, 15],
  [90, 110],
  [185, 195],
] as const;
const noise = defineTool({
  name: 'make_noise',
  id: 'test/make_noise@1',
  description: 'Gives a long text.',
  parameters: z.strictObject({ seed: z.int() }),
  success: 'A text.',
  cost: 'None.',
  safeToRepeat: true,
  run: ({ seed }) => Promise.resolve({ message: `${seed} `.repeat(resultBytes / `${seed} `.length) }),
});

describe('history', () => {
  let harness: Harness;
  beforeAll(async () => {
    const boundless = { id: 'claude-sonnet-5-5', maxInputTokens: 100_000_000, maxTokens: 128_000 };
    harness = await Harness.start(() => say(''), { tools: [noise], models: [boundless], replayed: false });
  });
  afterAll(() => harness.close());

  test('grows by the same few bytes in every turn, however long the conversation gets', async () => {
    const sizes: number[] = [];
    const events: number[] = [];
    let runId = '';
    // Measured during a model call: the previous turn is completely in the server's history by then.
    const script: Script = async (call) => {
      if (stretches.flat().some((turn) => turn === call.turn)) {
        const { historySize, historyLength } = await harness.client.workflow.getHandle(`run/${runId}`).describe();
        sizes[call.turn] = historySize ?? 0;
        events[call.turn] = historyLength;
      }
      return turns(200, { tool: 'make_noise', input: { seed: call.turn } })(call);
    };
    harness.model.setScript(script);
    const handle = await harness.startRun({
      limits: { ...defaultLimits, maxTurns: 300 },
      model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 2_000_000 },
    });
    runId = runIdOf(handle.workflowId)!;
    const result = await handle.result();
    expect(result.turns).toBe(201);

    const perTurn = stretches.map(([from, to]) => (sizes[to]! - sizes[from]!) / (to - from));
    process.stderr.write(`history bytes per turn: ${perTurn.join(' / ')}\n`);
    expect(Math.max(...perTurn) / Math.min(...perTurn)).toBeLessThanOrEqual(1.05);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(1_300);
    // One activity and one workflow task per turn, whose tool runs in the same activity.
    for (const [from, to] of stretches) expect((events[to]! - events[from]!) / (to - from)).toBe(6);
  }, 240_000);
});
