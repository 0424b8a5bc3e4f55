import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultLimits, readRootMemo } from '../../../domain/agent';
import { findServerBinary } from '../../../temporal-config/dev-server/find-binary';
import { createGate, defaultModels, modelSpec, say, useTool } from '../../../testing/scripted-model';
import { pauseUpdate, resumeUpdate, snapshotQuery } from '../../../workflows/messages';
import { failureOf } from '../../support/failures';
import { Harness, testAddress } from '../../support/harness';
import { projectRoot } from '../../support/paths';
import { failedTasks } from '../../support/raw-requests';
import { historiesOf, replayAll } from '../../support/replay';
import { discovered, relayNamed } from '../../support/relays';
import { shipped, writeProject } from '../../support/skill-project';
import { until } from '../../support/until';

// What any Temporal client can start, in any language: without Baton's client, with as little as a goal.

describe('plain Temporal input', () => {
  let harness: Harness;
  /** Blocks the first activity of every run while it is closed. */
  let gate = createGate();
  const started: string[] = [];
  beforeAll(async () => {
    gate.open();
    const skills = await shipped();
    harness = await Harness.start(() => say('no script'), {
      skills: () => gate.opened.then(() => skills),
      relays: [relayNamed('short', [{ name: 'one', skill: 'researcher', input: { goal: { from: 'goal' } } }])],
      models: [...defaultModels, modelSpec('acme-large')],
      modelDefaults: { name: 'acme-large', maxTokens: 300, window: 64_000 },
    });
  });
  afterAll(async () => {
    try {
      const all = await Promise.all(started.map((workflowId) => historiesOf(harness.client, workflowId)));
      await replayAll(all.flat());
    } finally {
      await harness.close();
    }
  });

  const start = async (input: unknown, { type = 'runWorkflow', id = `plain-${randomUUID()}` } = {}) => {
    const workflowId = `run/${id}`;
    started.push(workflowId);
    return harness.client.workflow.start(type, { workflowId, taskQueue: harness.taskQueue, args: [input] });
  };

  test('needs only a goal: the worker adds the defaults, and history records the settings in force', async () => {
    harness.model.setScript((call) => (call.turn === 0 ? useTool('add_note', { text: 'x' }) : say('Hello.')));
    const id = `plain-${randomUUID()}`;
    const handle = await start({ goal: 'Say hello.' }, { id });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Hello.' }, turns: 2 });
    const [call] = harness.model.calls.slice(-2);
    expect(call?.request).toMatchObject({ model: 'acme-large', max_tokens: 300 });
    expect(await handle.query(snapshotQuery)).toMatchObject({
      runId: id,
      model: 'acme-large',
      window: 64_000,
      maxTurns: defaultLimits.maxTurns,
    });
    const { events } = await handle.fetchHistory();
    const opened = (events ?? []).find((event) => event.activityTaskCompletedEventAttributes);
    const result = opened?.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
    expect(defaultPayloadConverter.fromPayload(result as Payload)).toMatchObject({
      settings: { runId: id, model: { name: 'acme-large', maxTokens: 300, window: 64_000 }, limits: defaultLimits },
    });
  });

  test('keeps what it says, and the rest of the defaults, when it continues as new; lists show its goal', async () => {
    harness.model.setScript((call) => (call.turn < 2 ? useTool('add_note', { text: 'x' }) : say('Done.')));
    const handle = await start({
      goal: 'Take notes.\nSecond line.',
      model: { name: 'claude-haiku-5-5' },
      limits: { maxTurns: 9 },
      tuning: { turnsPerExecution: 1 },
    });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' }, turns: 3 });
    expect(await handle.query(snapshotQuery)).toMatchObject({
      model: 'claude-haiku-5-5',
      window: 200_000,
      maxTurns: 9,
    });
    const { memo } = await handle.describe();
    expect(readRootMemo(memo)).toEqual({ goal: 'Take notes.' });
  });

  test('starts a prompt or a skill, and a relay with nothing but its goal and definition', async () => {
    harness.model.setScript((call) =>
      call.turn === 0 && call.systemText.includes('You are a researcher')
        ? useTool('write_artifact', { name: 'DISCOVERY.md', content: 'x' })
        : say(discovered),
    );
    const root = await writeProject(join(harness.folder, 'project'));
    const research = { name: 'one', skill: 'researcher', input: { goal: { from: 'goal' } } };
    const named = await start({ goal: 'Look.', relay: 'short', workspace: { root } }, { type: 'relayWorkflow' });
    expect(await named.result()).toMatchObject({ relay: 'short', steps: [{ name: 'one', rounds: 1 }] });
    const unknown = await start({ goal: 'Look.', relay: 'shrot' }, { type: 'relayWorkflow' });
    expect((await failureOf(unknown)).message).toBe(
      'relay: unknown relay "shrot". Did you mean "short"? Available: short.',
    );
    const relay = await start(
      { goal: 'Look.', workspace: { root }, relay: { name: 'r', description: 'One step.', steps: [research] } },
      { type: 'relayWorkflow' },
    );
    expect(await relay.result()).toMatchObject({ relay: 'r', turns: 0 });
    expect(readRootMemo((await relay.describe()).memo)).toEqual({ goal: 'Look.', relay: 'r', workspace: root });
    const skill = await start({ skill: { name: 'researcher', input: { goal: 'Look.' } }, workspace: { root } });
    expect(await skill.result()).toMatchObject({ turns: 2 });
    expect(readRootMemo((await skill.describe()).memo)).toEqual({
      goal: 'Look.',
      skill: 'researcher',
      workspace: root,
    });
  });

  test('is what `temporal workflow start` sends', async () => {
    harness.model.setScript(() => say('Hello, shell.'));
    const { path } = await findServerBinary({ env: process.env });
    const workflowId = `run/shell-${randomUUID()}`;
    started.push(workflowId);
    const start = ['workflow', 'start', '--type', 'runWorkflow', '--task-queue', harness.taskQueue];
    const input = ['--workflow-id', workflowId, '--input', '{"goal":"Say hello."}', '--address', testAddress()];
    await promisify(execFile)(path, [...start, ...input]);
    const handle = harness.client.workflow.getHandle(workflowId);
    expect(await handle.result()).toMatchObject({ answer: { text: 'Hello, shell.' } });
  });

  test('answers queries, pauses, resumes and is cancelled before its first activity has finished', async () => {
    harness.model.setScript(() => say('Resumed.'));
    gate = createGate();
    const [paused, cancelled] = [await start({ goal: 'Wait.' }), await start({ goal: 'Stop.' })];
    for (const handle of [paused, cancelled])
      expect(await handle.query(snapshotQuery)).toMatchObject({
        status: 'starting',
        turn: 0,
        model: 'chosen by the worker',
      });
    await paused.executeUpdate(pauseUpdate.name, { args: [{}] });
    expect(await paused.query(snapshotQuery)).toMatchObject({ status: 'paused' });
    await cancelled.cancel();
    gate.open();
    await expect(cancelled.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    await until(async () => ((await paused.query(snapshotQuery)).prompt === null ? undefined : true));
    await paused.executeUpdate(resumeUpdate.name, { args: [{}] });
    expect(await paused.result()).toMatchObject({ answer: { text: 'Resumed.' } });
    for (const { workflowId } of [paused, cancelled]) expect(await failedTasks(harness.client, workflowId)).toEqual([]);
  });

  test.each([
    [
      'a model that nobody knows',
      { goal: 'x', model: { name: 'nobody-1' } },
      /^model: "nobody-1" is not a known model/,
    ],
    ['a limit that is too high', { goal: 'x', limits: { maxDepth: 99 } }, /^limits\.maxDepth: /],
    ['a field that does not exist', { goal: 'x', modell: 'y' }, /modell/],
    ['an empty goal', { goal: ' ' }, /^goal: must not be empty/],
    [
      'too long an input of a skill',
      { skill: { name: 'scribe', input: { x: 'y'.repeat(13_000) } } },
      /^skill\.input: must be at most 12288 bytes/,
    ],
  ])('fails the run, not a task, for %s', async (_, input, message) => {
    const handle = await start(input);
    const failure = await failureOf(handle);
    expect(failure).toMatchObject({ type: 'Input.Invalid', nonRetryable: true });
    expect(failure.message).toMatch(message);
    expect(await failedTasks(harness.client, handle.workflowId)).toEqual([]);
  });

  test.each([
    [
      'plain',
      /^workflowId: it is "plain[^"]*", which does not name a run\. Start the workflow with an id such as "run\/my-run"/,
    ],
    ['run/a/b', /^workflowId: it is "run\/a\/b[^"]*", but this input belongs to "run\/a"/],
    ['run/not allowed', /^runId: must be letters, digits/],
  ])('fails the run if the workflow id %s does not name one', async (prefix, message) => {
    const workflowId = `${prefix}-${randomUUID()}`;
    const { taskQueue } = harness;
    const handle = await harness.client.workflow.start('runWorkflow', { workflowId, taskQueue, args: [{ goal: 'x' }] });
    expect((await failureOf(handle)).message).toMatch(message);
    expect(await failedTasks(harness.client, workflowId)).toEqual([]);
  });

  test('has a JSON Schema that requires only a goal, or a prompt or a skill instead', () => {
    const path = join(projectRoot, 'docs/reference/run-input.schema.json');
    const schema = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    expect(schema['required']).toBeUndefined();
    expect(schema['anyOf']).toEqual([{ required: ['goal'] }, { required: ['prompt'] }, { required: ['skill'] }]);
  });
});
