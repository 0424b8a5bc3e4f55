import { defaultPayloadConverter, TypedSearchAttributes, type Payload } from '@temporalio/common';
import type { RunStart } from '../../../domain/agent';
import { say, useTool } from '../../../testing/scripted-model';
import { searchAttributes } from '../../../temporal-config/search-attributes';
import { resumeUpdate, setPausedSignal } from '../../../workflows/messages';
import { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { until } from '../../support/until';

// A message that arrives before the first workflow task is handled while the agent is being created.

describe('a message that arrives before an agent begins', () => {
  let harness: Harness;
  /** Inputs of the two executions of a run that has ended. */
  let first: RunStart;
  let later: RunStart;
  beforeAll(async () => {
    harness = await Harness.start((call) => (call.turn === 0 ? useTool('add_note', { text: 'x' }) : say('done')));
    const run = await harness.startRun({ tuning: { turnsPerExecution: 1, toolsInside: false } });
    await run.result();
    const inputOf = async (runId?: string): Promise<RunStart> => {
      const { events } = await harness.client.workflow.getHandle(run.workflowId, runId).fetchHistory();
      const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
      return defaultPayloadConverter.fromPayload<RunStart>(payload as Payload);
    };
    first = await inputOf(run.firstExecutionRunId);
    later = await inputOf();
  });
  afterAll(() => harness.close());

  /** Starts an execution that was paused or not, and whose first message pauses or resumes it. */
  const begin = async (input: RunStart, paused: boolean): Promise<ReturnType<typeof operated>> => {
    const wasPaused = input.resume?.desk.paused === true;
    const { workflowId } = await harness.client.workflow.signalWithStart('runWorkflow', {
      workflowId: `run/${input.runId}`,
      taskQueue: harness.taskQueue,
      args: [input],
      signal: setPausedSignal,
      signalArgs: [{ paused }],
      typedSearchAttributes: new TypedSearchAttributes(
        wasPaused ? [{ key: searchAttributes.status, value: 'paused' }] : [],
      ),
    });
    return operated(harness.client, workflowId);
  };
  const paused = (input: RunStart): RunStart => ({
    ...input,
    resume: { ...input.resume!, desk: { ...input.resume!.desk, paused: true } },
  });
  const completes = async ({ handle, status }: ReturnType<typeof operated>): Promise<void> => {
    expect(await handle.result()).toMatchObject({ answer: { text: 'done' } });
    expect(await status()).toBeNull();
  };

  test('pauses a new agent, and the search attribute says so', async () => {
    const agent = await begin(first, true);
    await until(async () => (await agent.status()) === 'paused' || undefined);
    expect(await agent.snapshot()).toMatchObject({ status: 'paused', turn: 0 });
    await agent.handle.executeUpdate(resumeUpdate.name, { args: [{}] });
    await completes(agent);
  });

  test('pauses an agent that continues as new, and the search attribute says so', async () => {
    const agent = await begin(later, true);
    await until(async () => (await agent.status()) === 'paused' || undefined);
    await agent.handle.executeUpdate(resumeUpdate.name, { args: [{}] });
    await completes(agent);
  });

  test('resumes an agent that was paused when it continued as new, and the search attribute is removed', async () => {
    await completes(await begin(paused(later), false));
  });
});
