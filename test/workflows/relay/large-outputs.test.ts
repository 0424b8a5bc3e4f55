import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import { say } from '../../../testing/scripted-model';
import { Harness } from '../../support/harness';
import { playRelay, relayNamed, type RelayHandle } from '../../support/relays';
import { historiesOf, replayAll } from '../../support/replay';

const steps = 50;
/** Just below what one final message may pass on by value. */
const output = 'x'.repeat(23 * 1024);

function writer(): SkillDefinition {
  const parsed = parseSkill({
    name: 'writer',
    description: 'Writes.',
    systemPrompt: 'Write.',
    tools: [],
    output: 'text',
  });
  if (!parsed.ok) throw new Error('The skill is invalid');
  return parsed.skill;
}

describe('a relay of fifty steps with large outputs', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say(output, { chunkSize: output.length }), {
      skills: [writer()],
      replayed: false,
    });
  });
  afterAll(() => harness.close());

  test('carries a small state over, and later steps still see the outputs', async () => {
    // Each loop condition refers to the whole output of the step before, so all of them are kept.
    const relay = relayNamed(
      'long',
      Array.from({ length: steps }, (_, index) => ({
        name: `step${index}`,
        skill: 'writer',
        input: { goal: { from: 'goal' } },
        loop: {
          when: { from: `steps.step${index === steps - 1 ? 0 : Math.max(0, index - 1)}.output`, equals: 'nothing' },
          to: `step${index}`,
          max: 1,
        },
      })),
    );
    const handle = await playRelay(harness, relay, {
      // Room for such an output in one reply.
      model: { name: 'claude-sonnet-5-5', maxTokens: 50_000, window: 200_000 },
      tuning: { turnsPerExecution: 1 },
    });
    const { steps: done } = await handle.result();
    expect(done).toHaveLength(steps);
    expect(done.every(({ rounds, items }) => rounds === 1 && items === 1)).toBe(true);

    const executions = (await histories(handle)).filter(({ workflowId }) => workflowId === handle.workflowId);
    // The relay continues as new after every step.
    expect(executions).toHaveLength(steps + 1);
    const carried = executions.map(({ history }) =>
      (history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads ?? []).reduce(
        (sum, { data }) => sum + (data?.length ?? 0),
        0,
      ),
    );
    // All outputs together are over 1 MiB.
    expect(Math.max(...carried)).toBeLessThan(200 * 1024);
    await replayAll(executions.slice(-3));
  }, 600_000);

  async function histories(handle: RelayHandle): ReturnType<typeof historiesOf> {
    const { raw } = await handle.describe();
    return historiesOf(harness.client, handle.workflowId, raw.workflowExecutionInfo?.firstRunId ?? undefined);
  }
});
