import { diagnose } from '../../../client/why';
import { retryAgent } from '../../../client/operator/retry-failed';
import { createGate, say, useTool } from '../../../testing/scripted-model';
import { reset } from '../../support/batches';
import { byDepth, dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { until } from '../../support/until';

describe('a run that was terminated with its delegation, and then reset to a point after its start', () => {
  const gate = createGate();
  let harness: Harness;
  beforeAll(async () => {
    const script = byDepth(
      (call) => (call.turn === 0 ? useTool('dispatch_subagent', dispatch()) : say('All done.')),
      async () => {
        await gate.opened;
        return say('Seen.');
      },
    );
    harness = await Harness.start(script, { replayed: false });
  });
  afterAll(() => harness.close());

  test('waits for an end that the server does not report; why says so, and what it recommends helps', async () => {
    const { client } = harness;
    const run = await harness.startRun();
    const { workflowId, firstExecutionRunId: runId } = run;
    const eventsOf = async (execution: string) =>
      (await client.workflow.getHandle(workflowId, execution).fetchHistory()).events ?? [];
    const lastTask = await until(async () => {
      const events = await eventsOf(runId);
      const started = events.findIndex((event) => event.childWorkflowExecutionStartedEventAttributes);
      return started < 0
        ? undefined
        : (events.slice(started).find((event) => event.workflowTaskCompletedEventAttributes)?.eventId ?? undefined);
    });
    await run.terminate('test');
    const again = await reset(client, { workflowId, runId }, lastTask);
    const { message, path, commands } = await until(async () => {
      const why = await diagnose(client, workflowId);
      return why.message.includes('ended while') ? why : undefined;
    });
    expect(message).toMatch(
      /^waiting for .+\/.+, which ended while .+ was closed: after the reset, the server does not report/,
    );
    expect(path).toEqual([workflowId]);
    expect(commands).toEqual([
      `temporal workflow terminate --workflow-id ${workflowId}`,
      `baton retry ${workflowId.replace('run/', '')}`,
    ]);

    gate.open();
    await client.workflow.getHandle(workflowId, again).terminate('as recommended');
    await retryAgent(client, workflowId, undefined);
    expect(await client.workflow.getHandle(workflowId).result()).toMatchObject({ answer: { text: 'All done.' } });
    expect(harness.model.calls.filter(({ outcome }) => outcome === 'answered')).toHaveLength(3);
  });
});
