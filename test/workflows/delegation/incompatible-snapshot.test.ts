import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { RunStart } from '../../../domain/agent';
import type { StartPayload } from '../../../domain/delegation';
import { say, scriptByTurn, type ScriptedCall, useTool, useTools } from '../../../testing/scripted-model';
import { batch, sessionOf } from '../../support/batches';
import { dispatch } from '../../support/delegation-script';
import { failureOf } from '../../support/failures';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';

/** A note that an older release accepted and this one does not. */
const outdated = { text: '', by: 'an older release' };

describe('a session snapshot that cannot be hydrated', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());
  const { play } = treePlayer(() => harness, 'dispatch_subagent');

  /** What the last execution of a workflow was started with. */
  async function startOf<Start>(workflowId: string): Promise<Start> {
    const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
    const payloads = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
    const [start] = await decodeArrayFromPayloads(harness.client.options.loadedDataConverter, payloads);
    return start as Start;
  }

  test('is refused in the parent as ToolValidationError by every dispatch tool, and nothing is started', async () => {
    const first = await play([scriptByTurn(useTool('add_note', { text: 'fine' }), say('done'))], {
      // The progress is carried to another workflow, which has no records of turns.
      tuning: { turnsPerExecution: 1, toolsInside: false },
    });
    await first.handle.result();
    const { workflowId } = first.handle;
    const { resume, ...start } = await startOf<RunStart>(workflowId);
    const { session } = resume!.progress;
    const progress = { ...resume!.progress, session: { ...session, slices: { ...session.slices, notes: [outdated] } } };

    const asked: ScriptedCall[] = [];
    harness.model.setScript((call) => {
      asked.push(call);
      if (call.toolExchanges.length > 1) return say('I did it myself.');
      return useTools([
        { name: 'dispatch_subagent', input: dispatch() },
        { name: 'dispatch_subagents', input: batch(['One.', 'Two.']) },
      ]);
    });
    const again = await harness.client.workflow.start('runWorkflow', {
      workflowId,
      taskQueue: harness.taskQueue,
      args: [{ ...start, tuning: undefined, resume: { ...resume, progress } }],
    });
    expect(await again.result()).toMatchObject({ answer: { text: 'I did it myself.' } });

    const results = asked.at(-1)!.toolResults;
    const reason =
      'session snapshot: no subagent can start from your session. The session snapshot is not compatible: slice "notes", 0.text:';
    expect(results).toMatchObject([{ isError: true }, { isError: true }]);
    expect(results[0]?.text).toContain(`ToolValidationError (Session.SnapshotIncompatible): ${reason}`);
    expect(results[0]?.text).toMatch(/Nothing was started\. \[delegation_id [0-9a-z]{26}\]$/);
    expect(results[1]?.text).toContain(`ToolValidationError (Session.SnapshotIncompatible): ${reason}`);
    const { events } = await again.fetchHistory();
    expect(events?.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toEqual([]);
    expect((await sessionOf(harness.client, workflowId)).slices['notes']).toEqual([outdated]);
  });

  test('is refused by the child too, which fails before it calls its model', async () => {
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('done')),
      () => say('Fine.'),
    ]);
    await handle.result();
    const { events } = await handle.fetchHistory();
    const child = events?.flatMap((event) => event.startChildWorkflowExecutionInitiatedEventAttributes ?? [])[0];
    const start = await startOf<StartPayload>(child!.workflowId!);
    const calls = asked.length;
    const snapshot = { inline: { snapshotVersion: '1', version: 1, versions: {}, slices: { notes: [outdated] } } };
    const again = await harness.client.workflow.start('delegationWorkflow', {
      workflowId: child!.workflowId!,
      taskQueue: harness.taskQueue,
      args: [{ ...start, snapshot }],
    });
    expect(await failureOf(again)).toMatchObject({
      type: 'Session.SnapshotIncompatible',
      message: expect.stringContaining('slice "notes", 0.text') as unknown,
    });
    expect(asked).toHaveLength(calls);
  });
});
