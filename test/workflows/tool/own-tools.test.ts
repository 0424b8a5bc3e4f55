import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import { defaultLimits, type RunResult } from '../../../domain/agent';
import type { DelegationStart } from '../../../domain/delegation';
import { runWorkflowId } from '../../../domain/kernel';
import { extensions } from '../../../examples/own-tools/worker';
import * as ownWorkflows from '../../../examples/own-tools/workflows';
import { say, scriptByTurn, type ScriptedCall, useTool } from '../../../testing/scripted-model';
import { createBatonWorker } from '../../../worker';
import type { RunWorkflow } from '../../../workflows/agent/run-workflow';
import { createWorkflows } from '../../../workflows/extend';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, testAddress } from '../../support/harness';
import { historiesOf } from '../../support/replay';

const first = { id: 'R1', text: 'There is one disk', severity: 'high' };
const second = { id: 'R2', text: 'Nobody has tried to restore', severity: 'low' };

describe('a project with its own tool, slice and prompt', () => {
  let harness: Harness;
  let native: NativeConnection;
  let worker: Worker;
  let running: Promise<void>;
  const asked: ScriptedCall[] = [];
  const runId = `t-${randomUUID()}`;
  let result: RunResult;

  beforeAll(async () => {
    const levels = byDepth(
      scriptByTurn(
        useTool('report_risk', first),
        useTool('dispatch_subagent', dispatch({ prompt_ns: 'example', prompt_key: 'reviewer' })),
        useTool('dispatch_subagent', dispatch({ instructions: 'Say which risks you know of.' })),
        say('Reviewed.'),
      ),
      (call) =>
        call.turn === 0 && call.systemText.includes('You review for risks')
          ? useTool('report_risk', second)
          : say('The disk matters most.'),
    );
    // Without the harness's worker, which does not have the project's slices.
    harness = await Harness.start((call) => (asked.push(call), levels(call)), { withWorker: false });
    native = await NativeConnection.connect({ address: testAddress() });
    worker = await createBatonWorker({
      connection: native,
      client: harness.client,
      namespace: 'default',
      taskQueue: harness.taskQueue,
      store: harness.store,
      model: createAnthropicModel({ apiKey: 'scripted', baseUrl: harness.model.baseUrl }),
      ...extensions,
    });
    running = worker.run();
    result = await harness.client.workflow.execute<RunWorkflow>('runWorkflow', {
      workflowId: runWorkflowId(runId),
      taskQueue: harness.taskQueue,
      args: [
        {
          runId,
          goal: 'Review the project.',
          model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
          limits: defaultLimits,
        },
      ],
    });
  });
  afterAll(async () => {
    worker.shutdown();
    await running;
    await native.close();
    await harness.close();
  });

  const systemOf = (depth: number, index: number): string =>
    asked.filter((call) => depthOf(call) === depth && call.turn === 0)[index]?.systemText ?? '';

  test('runs, and its agents see which prompts they may dispatch', () => {
    expect(result.answer).toEqual({ text: 'Reviewed.' });
    expect(systemOf(0, 0)).toContain('- `example` / `reviewer`: Looks for risks');
    expect(systemOf(1, 0)).toContain('You review for risks.');
  });

  test('passes the slice to a delegation, in its snapshot and in the text of its prompt', async () => {
    const starts = await delegationStarts();
    const risks = starts.map(({ snapshot }) => ('inline' in snapshot ? snapshot.inline.slices['risks'] : undefined));
    // What the first child reported stayed in its isolated session.
    expect(risks).toEqual([[first], [first]]);
    expect(systemOf(1, 0)).toContain('- R1 (high): There is one disk');
  });

  test('lets a delegation use the tool, which sees the slice', () => {
    const reviewer = asked.find((call) => depthOf(call) === 1 && call.turn === 1);
    expect(reviewer?.toolResults).toMatchObject([{ text: 'Recorded R2. Risks known before: 1.', isError: false }]);
  });

  test('exports every workflow', () => {
    expect(Object.keys(ownWorkflows).sort()).toEqual(Object.keys(createWorkflows()).sort());
  });

  test('replays with its own workflows', async () => {
    const executions = await historiesOf(harness.client, runWorkflowId(runId));
    expect(executions).toHaveLength(3);
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: extensions.workflowsPath,
      logger: new DefaultLogger('ERROR'),
    });
    for (const { workflowId, history } of executions) {
      await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
    }
  });

  async function delegationStarts(): Promise<DelegationStart[]> {
    const { events } = await harness.client.workflow.getHandle(runWorkflowId(runId)).fetchHistory();
    const payloads = (events ?? []).flatMap(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.input?.payloads?.[0] ?? [],
    );
    return payloads.map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString('utf8')) as DelegationStart);
  }
});
