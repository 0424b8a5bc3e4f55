import { artifactsSlice, recordsOf } from '../../../domain/session';
import { scriptByTurn, refuse, say, useTool, type Script } from '../../../testing/scripted-model';
import {
  batch,
  childrenOf,
  hostOf,
  planned,
  planner,
  planOf,
  reasonOf,
  reset,
  resultsOf,
  sessionOf,
} from '../../support/batches';
import { Harness, type RunHandle } from '../../support/harness';
import { historiesOf, replayAll } from '../../support/replay';
import { treePlayer } from '../../support/tree-player';

describe('a shared session', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const { play, told } = treePlayer(() => harness, 'dispatch_subagents');
  /** Resets to a point before the root requested the host of its batch. */
  const resetBehindBatch = async (handle: RunHandle): Promise<string> => {
    const { task } = await hostOf(harness.client, handle);
    const again = await reset(harness.client, { ...handle, runId: handle.firstExecutionRunId }, task);
    await harness.client.workflow.getHandle(handle.workflowId, again).result();
    return again;
  };
  const hostsOf = async (handle: RunHandle, runId: string): Promise<string[]> =>
    (await childrenOf(harness.client, handle.workflowId, runId))
      .filter(({ type }) => type === 'sessionWorkflow')
      .map(({ workflowId }) => workflowId);

  test('that was closed is continued by a successor, for failed children that run again after a reset', async () => {
    let lives = 0;
    // Writes once in each execution; the first two fail.
    const frail: Script = (call) => {
      if (call.turn === 0) lives += 1;
      if (call.turn === 0) return useTool('add_plan_steps', { steps: [`Life ${lives}.`] });
      return lives < 3 ? refuse() : say('At last.');
    };
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagents', batch(['Calm.', 'Frail.'])), say('done')),
      (call) => (reasonOf(call) === 'Frail.' ? frail(call) : planner(2)(call)),
    ]);
    await handle.result();
    expect(await planOf(harness.client, handle.workflowId)).toEqual([...planned(['Calm.'], 2), 'Life 1.']);
    const { workflowId: first } = await hostOf(harness.client, handle);

    const second = await resetBehindBatch(handle);
    expect(await hostsOf(handle, second)).toEqual([`${first}.2`]);
    expect(await planOf(harness.client, handle.workflowId, second)).toEqual([
      ...planned(['Calm.'], 2),
      'Life 1.',
      'Life 2.',
    ]);
    expect(resultsOf(told(asked))[1]?.error).toMatch(/^Model\.Refused/);

    const third = await resetBehindBatch(handle);
    expect(await hostsOf(handle, third)).toEqual([`${first}.3`]);
    expect(await planOf(harness.client, handle.workflowId, third)).toEqual([
      ...planned(['Calm.'], 2),
      'Life 1.',
      'Life 2.',
      'Life 3.',
    ]);
    expect(told(asked).text).toMatch(/^All 2 delegations succeeded\./);
    expect(resultsOf(told(asked))[1]?.output).toBe('At last.');
    expect(asked.filter((call) => reasonOf(call) === 'Calm.')).toHaveLength(3);
    for (const runId of [second, third]) await replayAll(await historiesOf(harness.client, handle.workflowId, runId));
  });

  test('accepts the records of a nested batch whose outputs are too large for one request', async () => {
    const reasons = Array.from({ length: 85 }, (_, index) => `Inner ${index}.`);
    const long = 'Star after star after star.\n'.repeat(160);
    const { handle, asked } = await play(
      [
        scriptByTurn(useTool('dispatch_subagents', batch(['Middle.'], { may_delegate_further: 'yes' })), say('done')),
        scriptByTurn(useTool('dispatch_subagents', batch(reasons)), (call) =>
          say(call.toolResults[0]!.text.slice(0, 40)),
        ),
        () => say(long),
      ],
      { model: { name: 'claude-sonnet-5-5', maxTokens: 40_000, window: 1_000_000 } },
    );
    await handle.result();
    expect(told(asked).text).toContain('All 85 delegations succeeded.');
    const session = await sessionOf(harness.client, handle.workflowId);
    const outputs = recordsOf(session, artifactsSlice).filter(({ name }) => name.endsWith('/output.md'));
    expect(outputs).toHaveLength(reasons.length);
  });
});
