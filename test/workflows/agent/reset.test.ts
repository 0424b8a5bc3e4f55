import { randomUUID } from 'node:crypto';
import { say, useTool } from '../../../testing/scripted-model';
import { Harness } from '../../support/harness';

describe('resetting a run', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start((call) => (call.turn < 5 ? useTool('list_files', {}) : say(`Answer ${call.index}`)));
  });
  afterAll(() => harness.close());

  test('to an earlier turn reuses the replies that are already paid for', async () => {
    const handle = await harness.startRun();
    const before = await handle.result();
    expect(harness.model.calls).toHaveLength(6);

    const { events } = await handle.fetchHistory();
    const tasks = events!.filter((event) => event.workflowTaskCompletedEventAttributes);
    const { runId } = await harness.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: handle.workflowId, runId: handle.firstExecutionRunId },
      workflowTaskFinishEventId: tasks[5]!.eventId!,
      requestId: randomUUID(),
      reason: 'test',
    });
    expect(runId).not.toBe(handle.firstExecutionRunId);
    const after: unknown = await harness.client.workflow.getHandle(handle.workflowId, runId).result();
    expect(after).toEqual(before);
    expect(harness.model.calls).toHaveLength(6);
  });
});
