import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import {
  createGate,
  hang,
  scriptByTurn,
  say,
  useTool,
  useTools,
  type ScriptedCall,
} from '../../../testing/scripted-model';
import { batch } from '../../support/batches';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { until } from '../../support/until';

const endless = hang({ afterEvents: 3, answer: say('An answer that never ends') });
const delegateTo = (...names: readonly string[]): ReturnType<typeof useTools> =>
  useTools(names.map((name) => ({ name: 'dispatch_subagent', input: dispatch({ instructions: `Task ${name}.` }) })));

describe('in the middle of a tree of delegations', () => {
  let harness: Harness;
  let asked: ScriptedCall[] = [];
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(() => harness.close());

  /**
   * A root, two children and a grandchild below each, all of which are in the middle of a reply or wait for a
   * delegation.
   */
  const startTree = async (): Promise<RunHandle> => {
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(scriptByTurn(delegateTo('a', 'b')), scriptByTurn(delegateTo('c')), () => endless)(call);
    });
    // The default heartbeat timeout, because workers learn of a cancellation by heartbeats.
    const handle = await harness.startRun({ tuning: {} });
    await until(() => (asked.filter((call) => depthOf(call) === 2).length === 2 ? true : undefined));
    return handle;
  };
  const treeOf = async ({ workflowId }: RunHandle): Promise<{ workflowId: string; status: string }[]> => {
    const ids: string[] = [];
    for await (const found of harness.client.workflow.list({ query: `WorkflowId STARTS_WITH "${workflowId}"` })) {
      ids.push(found.workflowId);
    }
    const described = ids.map(async (id) => {
      const { status } = await harness.client.workflow.getHandle(id).describe();
      return { workflowId: id, status: status.name };
    });
    return Promise.all(described);
  };
  const childFor = async (handle: RunHandle, task: string): Promise<WorkflowHandle | undefined> => {
    for (const { workflowId } of await treeOf(handle)) {
      const child = harness.client.workflow.getHandle(workflowId);
      const summary = await (await child.describe()).staticSummary();
      if (summary?.endsWith(task) === true) return child;
    }
    return undefined;
  };
  const allAre = (handle: RunHandle, wanted: string): Promise<number> =>
    until(async () => {
      const tree = await treeOf(handle);
      return tree.length === 5 && tree.every(({ status }) => status === wanted) ? Date.now() : undefined;
    });
  const streams = async (): Promise<string[]> => {
    const open = asked.filter((call) => depthOf(call) === 2);
    const records = open.map(({ index }) => harness.model.waitForOutcome(index));
    return (await Promise.all(records)).map(({ outcome }) => outcome);
  };

  test('cancelling the run ends all its workflows and streams', async () => {
    const handle = await startTree();
    const from = Date.now();
    await handle.cancel();
    // Without the cancellation, the calls would time out after two minutes.
    expect((await allAre(handle, 'CANCELLED')) - from).toBeLessThan(60_000);
    expect(await streams()).toEqual(['aborted', 'aborted']);
  });

  test('terminating the run terminates all workflows below it and ends all streams', async () => {
    const handle = await startTree();
    await handle.terminate('test');
    await allAre(handle, 'TERMINATED');
    expect(await streams()).toEqual(['aborted', 'aborted']);
  });

  test.each(['cancelled', 'terminated'])(
    'a child that was %s is a failed delegation, and the others continue',
    async (how) => {
      const gate = createGate();
      const step = (task: string, id: string): { name: string; input: unknown } => ({
        name: 'dispatch_subagent',
        input: dispatch({ mode: 'plan_step', plan_step_id: id, instructions: `Task ${task}.` }),
      });
      harness.model.setScript((call) => {
        asked.push(call);
        return byDepth(
          scriptByTurn(
            useTool('add_plan_steps', { steps: ['First', 'Second'] }),
            useTools([step('a', 'S001'), step('b', 'S002')]),
            useTool('dispatch_subagent', dispatch({ instructions: 'Task c.' })),
            say('One of them was enough.'),
          ),
          async ({ systemText }) => {
            if (systemText.includes('### Task Summary\n\nTask a.')) return endless;
            if (systemText.includes('### Task Summary\n\nTask b.')) await gate.opened;
            return say('Done.');
          },
        )(call);
      });
      const handle = await harness.startRun();
      await until(() => asked.filter((call) => depthOf(call) === 1)[1]);
      const child = await until(() => childFor(handle, 'Task a.'));
      await (how === 'cancelled' ? child.cancel() : child.terminate());
      await child.result().catch(() => undefined);
      expect((await child.describe()).status.name).toBe(how.toUpperCase());
      gate.open();
      expect(await handle.result()).toMatchObject({ answer: { text: 'One of them was enough.' } });
      const results = asked.filter((call) => depthOf(call) === 0)[2]!.toolResults;
      expect(results[0]).toMatchObject({ isError: true });
      expect(results[0]!.text).toMatch(
        `DispatchSubagentError: the subagent run was aborted (Delegation.Failed: it was ${how}).`,
      );
      expect(results[1]).toMatchObject({ isError: false });
      const plan = asked.find(({ systemText }) => systemText.includes('Task c.'))!.systemText;
      expect(plan).toContain('S001 [failed] First');
      expect(plan).toContain('S002 [done] Second');
    },
  );

  test('cancelling a run while the children of a batch write to their session ends it as cancelled, not as failed', async () => {
    harness.model.setScript((call) => {
      asked.push(call);
      const isChild = call.systemText.includes('# Delegation Summary');
      return isChild
        ? useTool('add_note', { text: `note ${call.index}` })
        : useTool('dispatch_subagents', batch(['one', 'two', 'three', 'four']));
    });
    const runs = await Promise.all(Array.from({ length: 6 }, () => harness.startRun({ tuning: {} })));
    // Every child has written several times, and is about to write again.
    await until(() => (asked.length > runs.length * 4 * 4 ? true : undefined));
    await Promise.all(runs.map((run) => run.cancel()));
    const ends = await Promise.all(runs.map((run) => run.result().catch((error: unknown) => causeOf(error))));
    expect(ends).toEqual(runs.map(() => 'CancelledFailure'));
  });
});

function causeOf(error: unknown): string {
  return error instanceof WorkflowFailedError ? String(error.cause?.name) : String(error);
}
