import { Worker } from '@temporalio/worker';
import { type DelegationStart, readStart, type StartPayload } from '../../../domain/delegation';
import { extensions } from '../../../examples/own-tools/worker';
import * as ownWorkflows from '../../../examples/own-tools/workflows';
import { type Harness, say, scriptByDepth, scriptByTurn, startHarness, type TestRun, useTool } from '../../../testing';
import { createWorkflows } from '../../../workflows/extend';
import { batch, reasonOf } from '../../support/batches';
import { bundleOnce } from '../../support/bundle-once';
import { dispatch } from '../../support/delegation-script';
import { testAddress } from '../../support/harness';
import { historiesOf } from '../../support/replay';

const first = { id: 'R1', text: 'There is one disk', severity: 'high' };
const second = { id: 'R2', text: 'Nobody has tried to restore', severity: 'low' };

describe('a project with its own tool, slice and prompt', () => {
  let harness: Harness;
  let run: TestRun;

  beforeAll(async () => {
    harness = await startHarness({ address: testAddress(), ...extensions });
    const script = scriptByDepth(
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
    run = await harness.run({ goal: 'Review the project.', script });
  });
  afterAll(() => harness.close());

  const systemOf = (depth: number, index: number): string =>
    run.calls.filter((call) => call.depth === depth && call.turn === 0)[index]?.systemText ?? '';

  test('runs, and its agents see which prompts they may dispatch', () => {
    expect(run.answer).toBe('Reviewed.');
    expect(run.session.slices['risks']).toEqual([first]);
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
    const reviewer = run.calls.find(({ depth, turn }) => depth === 1 && turn === 1);
    expect(reviewer?.toolResults).toMatchObject([{ text: 'Recorded R2. Risks known before: 1.', isError: false }]);
  });

  test('shows a child of a batch that starts late what earlier ones wrote to the slice, from its first turn', async () => {
    const risk = (id: string): object => ({ id, text: `Risk ${id}`, severity: 'low' });
    const script = scriptByDepth(
      scriptByTurn(useTool('dispatch_subagents', batch(['R1', 'R2', 'R3'])), say('Done.')),
      (call) => (call.turn === 0 ? useTool('report_risk', risk(reasonOf(call))) : say(call.toolResults[0]?.text ?? '')),
    );
    const shared = await harness.run({ goal: 'Share.', script, limits: { maxParallel: 1 } });
    const told = shared.calls.filter(({ depth, turn }) => depth === 1 && turn === 1).map((call) => call.toolResults[0]);
    expect(told.map((result) => result?.text)).toEqual([
      'Recorded R1. Risks known before: 0.',
      'Recorded R2. Risks known before: 1.',
      'Recorded R3. Risks known before: 2.',
    ]);
  });

  test('exports every workflow', () => {
    expect(Object.keys(ownWorkflows).sort()).toEqual(Object.keys(createWorkflows()).sort());
  });

  test('replays with its own workflows', async () => {
    const executions = await historiesOf(harness.client, run.handle.workflowId);
    expect(executions).toHaveLength(3);
    const workflowBundle = await bundleOnce(extensions.workflowsPath);
    for (const { workflowId, history } of executions) {
      await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
    }
  });

  async function delegationStarts(): Promise<DelegationStart[]> {
    const { events } = await harness.client.workflow.getHandle(run.handle.workflowId).fetchHistory();
    const payloads = (events ?? []).flatMap(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.input?.payloads?.[0] ?? [],
    );
    return payloads.map(({ data }) => readStart(JSON.parse(Buffer.from(data ?? []).toString('utf8')) as StartPayload));
  }
});
