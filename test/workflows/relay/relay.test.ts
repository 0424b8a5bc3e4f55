import { join } from 'node:path';
import { auditRun } from '../../../client/prompt/audit-run';
import { loadRelays, shippedRelays } from '../../../definitions/relay/load-relays';
import { loadSkills } from '../../../definitions/skill/load-skills';
import { runIdOf } from '../../../domain/kernel';
import type { RelayDefinition } from '../../../domain/relay';
import { artifactsSlice, recordsOf } from '../../../domain/session';
import { hang, say, useTool, type Script, type ScriptedCall } from '../../../testing/scripted-model';
import { filesQuery, sessionQuery, snapshotQuery } from '../../../workflows/messages';
import { collectEvents, kindsOf } from '../../support/events';
import { failureOf } from '../../support/failures';
import { Harness } from '../../support/harness';
import {
  discovered,
  featureScript,
  inputOf,
  playRelay,
  relayNamed,
  skillOf,
  verdict,
  type RelayHandle,
} from '../../support/relays';
import { historiesOf, replayAll } from '../../support/replay';
import { shipped, writeProject } from '../../support/skill-project';
import { until } from '../../support/until';

let harness: Harness;
let workspace: { root: string };
let feature: RelayDefinition;
let script: Script = () => say('no script');
const asked: ScriptedCall[] = [];
const started: RelayHandle[] = [];

beforeAll(async () => {
  const skills = await shipped();
  harness = await Harness.start(
    (call) => {
      asked.push(call);
      return script(call);
    },
    { skills },
  );
  workspace = { root: await writeProject(join(harness.folder, 'project')) };
  feature = (await loadRelays([shippedRelays()], await loadSkills(workspace.root))).get('feature').relay;
});
afterAll(async () => {
  for (const handle of started) await replayAll(await histories(handle));
  await harness.close();
});

async function play(
  relay: RelayDefinition,
  playing: Script,
  wishes: Parameters<typeof playRelay>[2] = {},
): Promise<RelayHandle> {
  script = playing;
  asked.length = 0;
  const handle = await playRelay(harness, relay, { workspace, ...wishes });
  started.push(handle);
  return handle;
}

async function histories(handle: RelayHandle): ReturnType<typeof historiesOf> {
  const { raw } = await handle.describe();
  return historiesOf(harness.client, handle.workflowId, raw.workflowExecutionInfo?.firstRunId ?? undefined);
}

/** The first call of each agent, in order. */
const firstCalls = (): ScriptedCall[] => asked.filter(({ turn }) => turn === 0);

describe('the shipped relay "feature", whose first verification fails', () => {
  let handle: RelayHandle;
  beforeAll(async () => {
    handle = await play(feature, featureScript(2));
    await handle.result();
  });

  test('researches, plans, executes each step of the plan, and loops back once', async () => {
    const steps = firstCalls().map((call) => `${skillOf(call)} ${inputOf(call, 'Step') ?? ''}`.trim());
    expect(steps).toEqual([
      'researcher',
      'planner',
      'executor s1',
      'executor s2',
      'verifier',
      'executor s1',
      'executor s2',
      'verifier',
    ]);
    expect(await handle.result()).toMatchObject({
      relay: 'feature',
      turns: 0,
      steps: [
        { name: 'research', rounds: 1, items: 1 },
        { name: 'plan', rounds: 1, items: 1 },
        { name: 'execute', rounds: 2, items: 2 },
        { name: 'verify', rounds: 2, items: 1 },
      ],
    });
  });

  test('passes the feedback to the executors of the second round, and only to them', () => {
    const feedback = firstCalls().map((call) => inputOf(call, 'Feedback'));
    expect(feedback.slice(0, 5)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(feedback[5]).toContain('"problem":"no OAuth"');
    expect(feedback[6]).toBe(feedback[5]);
    expect(feedback[7]).toBeUndefined();
  });

  test('passes artifacts and files between steps, but no conversations', () => {
    const [, planner, first, second, verifier] = firstCalls().map(({ systemText }) => systemText);
    expect(planner).toContain('<discovery>\nRESEARCHED\n</discovery>');
    expect(first).toContain('PLANNED: change `src/login.ts`.');
    expect(second).toContain('"plain";\n\ns1');
    expect(verifier).toContain('s1\n\ns2');
    // Only those parts of final messages that the relay refers to are passed on, and nothing of tools and turns.
    for (const call of firstCalls()) expect(call.request.messages).toHaveLength(1);
    for (const text of [planner, first, second, verifier]) expect(text).not.toContain('It is plain.');
  });

  test('has the files and artifacts of all steps at its end', async () => {
    const { artifacts, workspace: files } = await handle.query(filesQuery);
    expect(artifacts.map(({ name }) => name)).toEqual(['DISCOVERY.md', 'PLAN.md']);
    expect(files?.changes.map(({ path }) => path)).toEqual(['src/login.ts']);
    expect(recordsOf(await handle.query(sessionQuery), artifactsSlice)).toHaveLength(2);
    expect(await handle.query(snapshotQuery)).toMatchObject({ status: 'completed', delegations: 8, turn: 0 });
  });

  test('can be tailed and audited like a run', async () => {
    const events = await collectEvents(harness.client, handle);
    expect(kindsOf(events, /^delegation|^agent\.completed/)).toEqual({
      'delegation.started': 8,
      'delegation.completed': 8,
      'agent.completed': 9,
    });
    const audited = await auditRun(harness.client, harness.store.forRun(runIdOf(handle.workflowId)!));
    expect(audited.difference).toBeNull();
    expect(audited.children.map(({ difference }) => difference)).toEqual(Array(8).fill(null));
  });
});

test('a relay continues as new when its history gets long', async () => {
  const handle = await play(feature, featureScript(1), {
    tuning: { heartbeatTimeoutMs: 2_000, turnsPerExecution: 50 },
  });
  expect(await handle.result()).toMatchObject({ steps: [{}, {}, { rounds: 1, items: 2 }, { rounds: 1 }] });
  const own = (await histories(handle)).filter(({ workflowId }) => workflowId === handle.workflowId);
  expect(own).toHaveLength(6);
});

test('cancelling a relay cancels its running step', async () => {
  const handle = await play(feature, () => hang());
  await until(() => asked[0]);
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(await handle.query(snapshotQuery)).toMatchObject({ status: 'cancelled' });
});

describe('a relay fails, naming the step and the reason,', () => {
  const research = {
    name: 'research',
    skill: 'researcher',
    input: { goal: { from: 'goal' } },
    artifacts: ['DISCOVERY.md'],
  };

  test('when an expected artifact is missing', async () => {
    const handle = await play(relayNamed('r', [research]), () => say(discovered));
    expect(await failureOf(handle)).toMatchObject({
      type: 'Relay.Failed',
      message: expect.stringMatching(
        /^Step "research" failed: it did not write DISCOVERY\.md\. \[delegation_id \w{26}\]$/,
      ) as string,
    });
  });

  test('when the verification reaches its loop limit', async () => {
    const [first, plan, execute, verify] = feature.steps;
    const once = { ...feature, steps: [first!, plan!, execute!, { ...verify!, loop: { ...verify!.loop!, max: 1 } }] };
    const handle = await play(once, (call) =>
      skillOf(call) === 'verifier' ? say(verdict('fail')) : featureScript()(call),
    );
    expect((await failureOf(handle)).message).toContain('Step "verify" reached its loop limit (1)');
  });

  test('when parallel items change the same file', async () => {
    const [first, plan, execute] = feature.steps;
    const relay = relayNamed('r', [first!, plan!, { ...execute!, parallel: true }]);
    const handle = await play(relay, featureScript());
    expect((await failureOf(handle)).message).toMatch(
      /^Step "execute", item 2 of 2, failed: it changed src\/login\.ts, which another item also changed/,
    );
    // The changes of the first item are kept.
    expect((await handle.query(filesQuery)).workspace?.changes.map(({ path }) => path)).toEqual(['src/login.ts']);
  });

  test('when a step itself fails', async () => {
    const handle = await play(relayNamed('r', [research]), () => useTool('list_files', { path: '.' }), {
      limits: { maxTurns: 2, maxDepth: 1, maxChildren: 5, maxParallel: 5 },
    });
    expect((await failureOf(handle)).message).toMatch(/^Step "research" failed: Agent\.TurnLimit: No answer within 2/);
  });

  test('when the worker does not have a skill', async () => {
    const relay = relayNamed('r', [{ ...research, skill: 'nobody' }]);
    const failure = await failureOf(await play(relay, () => say('x')));
    expect(failure).toMatchObject({ type: 'Input.Invalid' });
    expect(failure.message).toMatch(/relay\.steps\[0\]\.skill: .*skill "nobody" \(according to this worker's skills\)/);
  });
});
