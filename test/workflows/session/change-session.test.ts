import { defaultLimits } from '../../../domain/agent';
import { builtInSlices, createSessionSchema, emptySession, notesSlice, recordsOf } from '../../../domain/session';
import { planSlice } from '../../../domain/session/slices/plan-slice';
import { createGate, scriptByTurn, say, useTool, useTools } from '../../../testing/scripted-model';
import type { Agent } from '../../../workflows/agent/agent';
import { recordEvents } from '../../../workflows/session/change-session';
import { sessionOf } from '../../support/batches';
import { dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

describe('what concurrent delegations record in the session of their parent', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());
  const { play } = treePlayer(() => harness, 'dispatch_subagent');

  test('is all kept, even when they do it at the same moment', async () => {
    const schema = createSessionSchema([...builtInSlices]);
    const progress = { session: emptySession(schema), workspace: null, calls: 1, delegations: 0 };
    const agent = { schema, shared: null, progress } as unknown as Agent;
    const note = (text: string): unknown => recordEvents(agent, [{ type: 'noteAdded', value: { text, by: 'root' } }]);
    const recorded = [note('one'), note('two')];
    // Another change of the session, between the two requests and their replies.
    agent.progress = { ...agent.progress, delegations: 7 };
    recorded.push(note('three'));
    await Promise.all(recorded);
    expect(recordsOf(agent.progress.session, notesSlice).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(agent.progress.delegations).toBe(7);
  });

  test('is visible while they run: every plan step that one of them carries out is in progress', async () => {
    const gate = createGate();
    const steps = ['S001', 'S002', 'S003', 'S004', 'S005', 'S006'];
    const { handle } = await play(
      [
        scriptByTurn(
          useTool('add_plan_steps', { steps }),
          useTools(
            steps.map((id) => ({
              name: 'dispatch_subagent',
              input: dispatch({ mode: 'plan_step', plan_step_id: id }),
            })),
          ),
          say('done'),
        ),
        async () => {
          await gate.opened;
          return say('Done.');
        },
      ],
      { limits: { ...defaultLimits, maxParallel: steps.length } },
    );
    const statuses = async (): Promise<string[]> =>
      recordsOf(await sessionOf(harness.client, handle.workflowId), planSlice).map(({ status }) => status);
    await until(async () =>
      (await statuses()).filter((status) => status === 'in_progress').length === steps.length ? true : undefined,
    );
    gate.open();
    await handle.result();
    expect(await statuses()).toEqual(steps.map(() => 'done'));
  });
});
