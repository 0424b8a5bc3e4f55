import { randomUUID } from 'node:crypto';
import { defaultLimits } from '../../../domain/agent';
import { say } from '../../../testing/scripted-model';
import { failureOf } from '../../support/failures';
import { Harness } from '../../support/harness';

describe('a workflow id that does not name its run', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('Done.'));
  });
  afterAll(() => harness.close());

  const runId = `t-${randomUUID()}`;
  const settings = {
    runId,
    goal: 'Answer.',
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
    limits: defaultLimits,
  };

  test.each([
    ['runWorkflow', `run/other-${runId}`, settings],
    ['runWorkflow', `run/${runId}/below`, settings],
    ['runWorkflow', runId, settings],
    ['relayWorkflow', `relay/${runId}`, settings],
    ['delegationWorkflow', `run/other-${runId}/d1`, { ...settings, delegationId: 'd1' }],
    ['delegationWorkflow', `run/${runId}/d2`, { ...settings, delegationId: 'd1' }],
    ['delegationWorkflow', `d1`, { ...settings, delegationId: 'd1' }],
    ['sessionWorkflow', `run/other-${runId}/session-1`, { runId, storeId: 'x', session: {} }],
    ['sessionWorkflow', `run/${runId}/host`, { runId, storeId: 'x', session: {} }],
  ])('is rejected: %s as %s', async (type, workflowId, input) => {
    const handle = await harness.client.workflow.start(type, {
      workflowId,
      taskQueue: harness.taskQueue,
      args: [input],
      // A client may ask for retries; they can't help.
      retry: { maximumAttempts: 3 },
    });
    const failure = await failureOf(handle);
    expect(failure).toMatchObject({ type: 'Input.Invalid', nonRetryable: true });
    expect(failure.message).toContain(`workflowId: it is "${workflowId}", but this input belongs to "run/${runId}`);
    expect((await harness.store.listRuns()).map((run) => run.runId)).not.toContain(runId);
  });
});
