import { join } from 'node:path';
import { readRecordedAgent } from '../../../client/agent/history';
import { retryFailed, type RetriedAgents } from '../../../client/operator/retry-failed';
import type { RetryFailedOptions } from '../../../client/operator/planned-reset';
import { diagnose } from '../../../client/why';
import { loadRelays, shippedRelays } from '../../../definitions/relay/load-relays';
import { loadSkills } from '../../../definitions/skill/load-skills';
import { displayId } from '../../../domain/kernel';
import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import {
  createGate,
  fail,
  refuse,
  say,
  scriptByTurn,
  useTool,
  type Script,
  type ScriptedCall,
} from '../../../testing/scripted-model';
import { batch, delegationsOf, planOf, reasonOf, toldRoot } from '../../support/batches';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { featureScript, playRelay, skillOf } from '../../support/relays';
import { historiesOf, replayAll } from '../../support/replay';
import { shipped, writeProject } from '../../support/skill-project';
import { until } from '../../support/until';

const quick = { heartbeatTimeoutMs: 2_000, retryIntervalMs: 10 };

function lister(): SkillDefinition {
  const output = { json: { type: 'array', items: { type: 'string' } } };
  const parsed = parseSkill({
    name: 'lister',
    description: 'Lists.',
    systemPrompt: 'List.',
    tools: ['list_files'],
    output,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.skill;
}

/** A failed delegation is retried in its own executions, and its parent is taken back to wait for it. */
describe('retrying a failed delegation', () => {
  let harness: Harness;
  let asked: ScriptedCall[];
  /** Whether what made the delegation fail has been corrected. */
  let isWell: boolean;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { skills: [...(await shipped()), lister()] });
  });
  beforeEach(() => {
    asked = [];
    isWell = false;
  });
  afterAll(() => harness.close());

  const play = async (script: Script, wishes: RunWishes = {}): Promise<RunHandle> => {
    harness.model.setScript((call) => {
      asked.push(call);
      return script(call);
    });
    return harness.startRun({ tuning: quick, ...wishes });
  };
  const heard: Script = (call) => say(`Heard: ${call.toolResults[0]?.text.slice(0, 60)}`);
  const wellOnlyLater = (trouble: ReturnType<Script>): Script =>
    scriptByTurn(useTool('list_files', {}), () => (isWell ? say('Found.') : trouble));
  const turns = (depth: number): number[] => asked.filter((call) => depthOf(call) === depth).map(({ turn }) => turn);
  const callsOf = (reason: string): number[] =>
    asked.filter((call) => depthOf(call) === 1 && reasonOf(call) === reason).map(({ turn }) => turn);
  const retry = (workflowId: string, options?: RetryFailedOptions): Promise<RetriedAgents> =>
    retryFailed(harness.client, workflowId, options);
  const resultOf = (workflowId: string): Promise<unknown> => harness.client.workflow.getHandle(workflowId).result();
  const answer = (text: string): object => ({ answer: { text: expect.stringContaining(text) as unknown } });

  test('says that its parent has moved on, and with the parent repeats only the failed call', async () => {
    const run = await play(
      byDepth(scriptByTurn(useTool('dispatch_subagent', dispatch()), heard), wellOnlyLater(fail(401))),
    );
    expect(await run.result()).toMatchObject(answer('Heard: DispatchSubagentError'));
    const [child] = await delegationsOf(harness.client, run, 1);
    isWell = true;
    const why = await diagnose(harness.client, run.workflowId);
    expect(why.commands[0]).toBe(`baton retry ${displayId(child!.workflowId)} --with-parent`);
    await expect(retry(child!.workflowId)).rejects.toMatchObject({
      type: 'Client.ParentMovedOn',
      remedy: expect.stringContaining('--with-parent') as unknown,
    });
    expect(await retry(child!.workflowId, { withParent: true, by: 'ann' })).toMatchObject({
      retried: [child!.workflowId],
      takenBack: [run.workflowId],
    });
    expect(await resultOf(run.workflowId)).toMatchObject(answer('Heard: Found.'));
    expect(turns(1)).toEqual([0, 1, 1]);
    // The last turn is another one, because it has another result to look at.
    expect(turns(0)).toEqual([0, 1, 1]);
    await replayAll(await historiesOf(harness.client, child!.workflowId));
  });

  test('whose answer had the wrong form twice gets one more turn, and its answers are not replayed for ever', async () => {
    const use = useTool('dispatch_skill', { skill: 'lister', input: { goal: 'Help.' } });
    const run = await play(
      byDepth(scriptByTurn(use, heard), ({ turn }) => (isWell && turn === 2 ? say('["a"]') : say('none'))),
    );
    await run.result();
    const [child] = await delegationsOf(harness.client, run, 1);
    expect((await diagnose(harness.client, child!.workflowId)).type).toBe('Output.Invalid');
    isWell = true;
    await retry(child!.workflowId, { withParent: true });
    expect(await resultOf(run.workflowId)).toMatchObject(answer('Heard: ["a"]'));
    expect(turns(1)).toEqual([0, 1, 2]);
  });

  test('below another delegation takes back everyone up to the root', async () => {
    const run = await play(
      byDepth(
        scriptByTurn(useTool('dispatch_subagent', dispatch()), heard),
        scriptByTurn(useTool('dispatch_subagent', dispatch({ instructions: 'Dig deeper.' })), heard),
        wellOnlyLater(refuse()),
      ),
    );
    await run.result();
    const [child] = await delegationsOf(harness.client, run, 1);
    const { children } = await readRecordedAgent(harness.client, child!.workflowId);
    isWell = true;
    expect(await retry(children[0]!, { withParent: true })).toMatchObject({
      retried: [children[0]],
      takenBack: [child!.workflowId, run.workflowId],
    });
    expect(await resultOf(run.workflowId)).toMatchObject(answer('Heard: Found.'));
    expect(turns(2)).toEqual([0, 1, 1]);
    expect(turns(1)).toEqual([0, 1, 1]);
    expect(turns(0)).toEqual([0, 1, 1]);
  });

  test('of a batch writes to the same session as before, and its siblings are not repeated, failed ones included', async () => {
    const run = await play(
      byDepth(scriptByTurn(useTool('dispatch_subagents', batch(['one', 'two', 'three'])), say('done')), (call) => {
        if (call.turn === 0) return useTool('add_plan_steps', { steps: [`${reasonOf(call)} a`] });
        if (reasonOf(call) === 'three') return fail(400);
        if (reasonOf(call) === 'one') return say('Result one.');
        if (!isWell) return fail(401);
        return call.turn === 1 ? useTool('add_plan_steps', { steps: ['two b'] }) : say('Result two.');
      }),
    );
    await run.result();
    expect(toldRoot(asked).text).toContain('3 delegations: 1 succeeded, 2 failed.');
    const [, second] = await delegationsOf(harness.client, run, 3);
    isWell = true;
    await retry(second!.workflowId, { withParent: true });
    await resultOf(run.workflowId);
    expect(toldRoot(asked).text).toContain('3 delegations: 2 succeeded, 1 failed.');
    expect(toldRoot(asked).text).toContain('Result two.');
    expect(callsOf('one')).toEqual([0, 1]);
    expect(callsOf('two')).toEqual([0, 1, 1, 2]);
    expect(callsOf('three')).toEqual([0, 1]);
    expect(await planOf(harness.client, run.workflowId)).toEqual(['one a', 'three a', 'two a', 'two b']);
  });

  test('while its siblings still run, adopts them', async () => {
    const gate = createGate();
    const run = await play(
      byDepth(scriptByTurn(useTool('dispatch_subagents', batch(['one', 'two'])), say('done')), async (call) => {
        if (call.turn === 0) return useTool('add_plan_steps', { steps: [`${reasonOf(call)} a`] });
        if (reasonOf(call) === 'one') {
          await gate.opened;
          return say('Result one.');
        }
        return isWell ? say('Result two.') : refuse();
      }),
    );
    const [, second] = await delegationsOf(harness.client, run, 2);
    await resultOf(second!.workflowId).catch(() => undefined);
    await until(() => callsOf('one').length === 2 || undefined);
    isWell = true;
    await retry(second!.workflowId, { withParent: true });
    await resultOf(second!.workflowId);
    gate.open();
    await resultOf(run.workflowId);
    expect(toldRoot(asked).text).toContain('All 2 delegations succeeded.');
    expect(callsOf('one')).toEqual([0, 1]);
    expect(callsOf('two')).toEqual([0, 1, 1]);
  });

  test('of a relay continues the relay, and finished steps are not repeated', async () => {
    const isPlanner = (call: ScriptedCall): boolean => skillOf(call) === 'planner';
    harness.model.setScript((call) => {
      asked.push(call);
      return isPlanner(call) && call.turn === 1 && !isWell ? fail(401) : featureScript()(call);
    });
    const workspace = { root: await writeProject(join(harness.folder, 'project')) };
    const { relay } = (await loadRelays([shippedRelays()], await loadSkills(workspace.root))).get('feature');
    const steps = relay.steps.slice(0, 2);
    const run = await playRelay(harness, { ...relay, steps }, { workspace, tuning: quick });
    await expect(run.result()).rejects.toMatchObject({ cause: { type: 'Relay.Failed' } });
    isWell = true;
    const { retried } = await retry(run.workflowId);
    expect(retried).toEqual([expect.stringContaining(`${run.workflowId}/`), run.workflowId]);
    expect(await resultOf(run.workflowId)).toMatchObject({ relay: 'feature' });
    expect(asked.filter((call) => !isPlanner(call)).map(({ turn }) => turn)).toEqual([0, 1]);
    expect(asked.filter(isPlanner).map(({ turn }) => turn)).toEqual([0, 1, 1]);
    await replayAll(await historiesOf(harness.client, run.workflowId));
  });
});
