import { type AgentTree, batonRun, createBaton, type RunHandle } from '../../../client';
import { readEnding } from '../../../client/agent/ending';
import type { AgentFigures } from '../../../domain/budget';
import { runIdOf } from '../../../domain/kernel';
import {
  hang,
  refuse,
  say,
  type Script,
  type ScriptedCall,
  scriptByTurn,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { depthOf, dispatch } from '../../support/delegation-script';
import { handingOver, handoffsBefore, lookUp } from '../../support/handoffs';
import type { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { playRelay, relayNamed } from '../../support/relays';
import { historiesOf, replayAll } from '../../support/replay';
import { discovery, response, shipped, startOnProject } from '../../support/skill-project';
import { until } from '../../support/until';
import { agentsOf, commandsOf, detailsOf, everyPlace, expectedDetails, listed, paidTo } from './support';

const look = useTool('look_up', { seed: 1, bytes: 10 });
const delegate = (...tasks: readonly string[]): ReturnType<typeof useTools> =>
  useTools(tasks.map((task) => ({ name: 'dispatch_subagent', input: dispatch({ instructions: `Task ${task}.` }) })));

/** How each task ends. */
const tasks: Readonly<Record<string, Script>> = {
  completed: scriptByTurn(delegate('inner'), say('Done.')),
  inner: scriptByTurn(look, say('Inside.')),
  failed: scriptByTurn(look, () => refuse()),
  cancelled: scriptByTurn(look, () => hang()),
  terminated: scriptByTurn(delegate('orphan'), say('Never.')),
  orphan: scriptByTurn(look, () => hang()),
  handoff: handingOver((call) =>
    handoffsBefore(call) > 0 ? say('Found.') : useTool('look_up', { seed: call.turn, bytes: 14_000 }),
  ),
};

/** The innermost task that a prompt names. */
function taskOf({ systemText }: ScriptedCall): string {
  return [...systemText.matchAll(/Task (\w+)\./g)].map(([, task = '']) => task).find((task) => task in tasks) ?? '';
}

describe('what agents consumed', () => {
  let harness: Harness;
  let workspace: { root: string };
  let asked: ScriptedCall[] = [];
  beforeAll(async () => {
    const catalogue = await shipped();
    ({ harness, workspace } = await startOnProject(() => Promise.resolve(catalogue), { tools: [lookUp] }));
  });
  afterAll(() => harness.close());

  const play = (script: Script): void => {
    asked = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return script(call);
    });
  };
  /** What the provider logged of this test's calls: of the root, and of all agents. */
  const paid = (): AgentFigures => {
    const calls = asked.map((call) => ({ depth: depthOf(call), record: harness.model.calls[call.index]! }));
    return {
      own: paidTo(calls.flatMap(({ depth, record }) => (depth === 0 ? [record] : []))),
      withDelegations: paidTo(calls.map(({ record }) => record)),
    };
  };
  const hanging = (): number => asked.filter(({ index }) => harness.model.calls[index]?.outcome === 'pending').length;
  /** The server's list lags behind. */
  const treeWhen = (workflowId: string, isReady: (tree: AgentTree) => boolean): Promise<AgentTree> =>
    until(async () => {
      const tree = await batonRun(harness.client, runIdOf(workflowId)!).tree(null, harness.store);
      return isReady(tree) ? tree : undefined;
    });
  const equalEverywhere = async (workflowId: string): Promise<void> => {
    const expected = paid();
    const places = await everyPlace(harness, workflowId);
    expect(places).toEqual(Object.fromEntries(Object.keys(places).map((place) => [place, expected])));
  };

  describe('in a tree with every kind of end', () => {
    let run: RunHandle;
    let workflowId: string;
    beforeAll(async () => {
      play((call) => {
        if (depthOf(call) > 0 && taskOf(call) === '')
          return call.turn === 0
            ? useTool('write_artifact', { name: 'DISCOVERY.md', content: 'It is plain.' })
            : say(response(discovery));
        if (depthOf(call) > 0) return tasks[taskOf(call)]!(call);
        if (call.turn > 0) return say('All done.');
        return useTools([
          ...['completed', 'failed', 'cancelled', 'terminated', 'handoff'].map((task) => ({
            name: 'dispatch_subagent',
            input: dispatch({ instructions: `Task ${task}.` }),
          })),
          { name: 'dispatch_skill', input: { skill: 'researcher', input: { goal: 'How does login work?' } } },
        ]);
      });
      run = await createBaton(harness.client, harness).startRun({
        goal: 'Look around and report.',
        workspace,
        model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 20_000 },
        budget: { microUsd: 5_000_000 },
        // Every turn is an execution of its own.
        tuning: { heartbeatTimeoutMs: 2_000, turnsPerExecution: 1 },
      });
      ({ workflowId } = run);
    });
    afterAll(async () => {
      await replayAll(await historiesOf(harness.client, workflowId, await firstExecution()));
    });
    const firstExecution = async (): Promise<string> =>
      (await harness.client.workflow.getHandle(workflowId).describe()).raw.workflowExecutionInfo?.firstRunId ?? '';

    test('is the same in every place while it runs, and what the provider counted', async () => {
      const ended = (tree: AgentTree): boolean =>
        agentsOf(tree).length === 9 && agentsOf(tree).filter(({ closedAt }) => closedAt !== null).length === 5;
      await until(() => (hanging() === 2 ? true : undefined));
      const tree = await treeWhen(workflowId, ended);
      const begun = Date.now();
      expect(await readEnding(harness.client, workflowId)).toBeUndefined();
      // A server that is made to wait for the end answers after 20 seconds.
      expect(Date.now() - begun).toBeLessThan(10_000);
      await equalEverywhere(workflowId);
      const { own, withDelegations } = await listed(harness, run.runId);
      expect({ own, withDelegations }).toEqual(paid());
      expect(tree.status).toBe('running');
    });

    test('is the same in every place at the end, with what cancelled and terminated agents paid', async () => {
      const tree = await treeWhen(workflowId, ({ children }) => children.length === 6);
      const idOf = (task: string): string =>
        tree.children.find(({ summary }) => summary.includes(`Task ${task}.`))?.workflowId ?? '';
      await harness.client.workflow.getHandle(idOf('cancelled')).cancel();
      await harness.client.workflow.getHandle(idOf('terminated')).terminate();
      const outcome = await run.result();
      const ended = await treeWhen(workflowId, (now) => agentsOf(now).every(({ closedAt }) => closedAt !== null));
      const statuses = Object.fromEntries(
        agentsOf(ended).map(({ summary, status }) => [/Task (\w+)\./.exec(summary)?.[1] ?? summary, status]),
      );
      expect(statuses).toMatchObject({
        completed: 'completed',
        inner: 'completed',
        failed: 'failed',
        cancelled: 'cancelled',
        terminated: 'terminated',
        orphan: 'terminated',
        handoff: 'completed',
      });
      await equalEverywhere(workflowId);
      const { own, withDelegations } = paid();
      expect(outcome).toMatchObject({ result: { own, withDelegations, microUsd: withDelegations.microUsd } });
      expect((await listed(harness, run.runId)).withDelegations).toEqual(withDelegations);
      expect(await detailsOf(harness, workflowId)).toEqual(expectedDetails(paid(), 6));
    });

    test('is known of every single agent, with a store and without', async () => {
      const [stored, served] = [await run.tree(null, harness.store), await run.tree()];
      const figures = (tree: AgentTree): unknown =>
        agentsOf(tree).map(({ workflowId, own, withDelegations }) => ({ workflowId, own, withDelegations }));
      expect(figures(served)).toEqual(figures(stored));
      expect(agentsOf(stored).every(({ own }) => own.turns > 0 && own.microUsd! > 0)).toBe(true);
    });

    test('is told with the budget, and with times over all executions', async () => {
      const { startTime } = await harness.client.workflow.getHandle(workflowId, await firstExecution()).describe();
      const { runId } = run;
      const text = await commandsOf(harness)(['show', runId, '--utc']);
      expect(text).toMatch(/^budget +cost \$0\.\d+ of \$5\.0000?, \$\d\.\d+ left$/m);
      expect(text).toContain(startTime.toISOString());
      expect((await listed(harness, runId)).startedAt).toBe(startTime.toISOString());
      const [left] = /cost \$0\.\d+ of \$5\.0000?, \$\d\.\d+ left/.exec(text)!;
      const drawn = await commandsOf(harness)(['tree', runId]);
      expect(drawn).toMatch(/^✓ root .*with delegations .*Look around and report/m);
      expect(drawn).toContain(`\nbudget  ${left}\n`);
      expect(await commandsOf(harness)(['why', runId])).toContain(`\nBudget: ${left}\n`);
      expect(await commandsOf(harness)(['list', '-n', '1000'])).toContain(`\n  budget  ${left}\n`);
      expect((await listed(harness, runId)).budget).toEqual({ microUsd: 5_000_000 });
      expect(await commandsOf(harness)(['list', '--store', '-n', '1000'])).toContain(`\n  budget  ${left}\n`);
      expect(await operated(harness.client, workflowId).details()).toContain(`\n- budget: ${left}\n`);
      expect(await run.result()).toMatchObject({ result: { budget: { microUsd: 5_000_000 } } });
      expect(drawn).toContain('Task handoff.');
    });
  });

  test('is the same for an agent that an operator skipped, which says by whom', async () => {
    play((call) => (depthOf(call) > 0 ? tasks['failed']!(call) : scriptByTurn(delegate('failed'), say('Done.'))(call)));
    const handle = await harness.startRun({ onFailure: 'hold' });
    const parked = await treeWhen(handle.workflowId, ({ children }) => children[0]?.status === 'needs operator');
    await equalEverywhere(handle.workflowId);
    const agent = operated(harness.client, parked.children[0]!.workflowId);
    const { id } = await agent.incident();
    await agent.decide({ incident: id, action: 'skip', placeholder: 'Nothing to see.', by: 'Ada' });
    await handle.result();
    const tree = await treeWhen(handle.workflowId, ({ children }) => children[0]?.closedAt !== null);
    expect(tree.children).toMatchObject([{ status: 'skipped', skipped: { by: 'Ada', text: 'Nothing to see.' } }]);
    await equalEverywhere(handle.workflowId);
    const drawn = await commandsOf(harness)(['tree', runIdOf(handle.workflowId)!]);
    expect(drawn).toMatch(/skipped · by Ada, result replaced by "Nothing to see\."/);
    const child = tree.children[0]!.workflowId.slice('run/'.length);
    const shown = await commandsOf(harness)(['show', child]);
    expect(shown).toMatch(/^status +completed\nskipped +by Ada, result replaced by "Nothing to see\."$/m);
  });

  test('is the same for a relay, which shows its steps and rounds', async () => {
    const relay = relayNamed('twice', [
      { name: 'find', skill: 'researcher', input: { goal: { from: 'goal' } } },
      { name: 'again', skill: 'researcher', input: { goal: { from: 'goal' } } },
    ]);
    play((call) => {
      if (call.turn === 0) return useTool('write_artifact', { name: 'DISCOVERY.md', content: 'It is plain.' });
      return asked.length > 3 && call.attempt === 0 && asked.filter(({ turn }) => turn === 1).length === 2
        ? hang()
        : say(response(discovery));
    });
    const handle = await playRelay(harness, relay, { workspace, tuning: { turnsPerActivity: 1 } });
    await until(() => (hanging() === 1 ? true : undefined));
    await treeWhen(handle.workflowId, ({ children }) => children.length === 2);
    const runId = runIdOf(handle.workflowId)!;
    const text = await commandsOf(harness)(['show', runId, '--utc']);
    expect(text).toMatch(/^relay +twice, step 2 of 2: again$/m);
    expect(text).toMatch(/^step 1 +find, done$/m);
    expect(text).not.toMatch(/^turns /m);
    expect(await operated(harness.client, handle.workflowId).details()).toContain('- step 2 of 2: again');
    await harness.client.workflow.getHandle(handle.workflowId).cancel();
    await expect(handle.result()).rejects.toThrow();
    await treeWhen(handle.workflowId, (tree) => agentsOf(tree).every(({ closedAt }) => closedAt !== null));
    const places = await everyPlace(harness, handle.workflowId);
    const all = paidTo(asked.map(({ index }) => harness.model.calls[index]!));
    expect(Object.values(places).map(({ withDelegations }) => withDelegations)).toEqual(
      Object.values(places).map(() => all),
    );
    expect(await detailsOf(harness, handle.workflowId)).toEqual(
      expectedDetails({ own: places['store']!.own, withDelegations: all }, 2),
    );
  });
});
