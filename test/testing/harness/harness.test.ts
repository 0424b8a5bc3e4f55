import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import {
  createGate,
  fail,
  failFirstAttempts,
  type Harness,
  hang,
  overloaded,
  refuse,
  say,
  scriptByDepth,
  scriptByTurn,
  startHarness,
  useTool,
} from '../../../testing';
import { defineTool } from '../../../worker';
import { dispatch } from '../../support/delegation-script';
import { testAddress } from '../../support/harness';
import { workflowBundle } from '../../support/paths';

const noteTool = useTool('add_note', { text: 'SQLite is enough.', kind: 'decision' });

describe('a harness', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ address: testAddress(), workflowBundlePath: workflowBundle.codePath });
  });
  afterAll(() => harness.close());

  test('returns the answer, what the model received, the session and the events', async () => {
    const long = 'SQLite. '.repeat(100);
    const script = scriptByTurn(noteTool, say(long));
    const run = await harness.run({ goal: 'Choose a database.', script });
    expect(run.outcome).toMatchObject({ kind: 'completed', result: { turns: 2 } });
    expect(run.answer).toBe(long);
    expect(run.calls).toHaveLength(2);
    expect(run.calls[0]).toMatchObject({ turn: 0, depth: 0, attempt: 0, outcome: 'answered' });
    expect(run.calls[0]?.systemText).toContain('Choose a database.');
    expect(run.calls[1]?.toolExchanges).toMatchObject([{ name: 'add_note', result: { isError: false } }]);
    expect(run.session.slices['notes']).toMatchObject([{ text: 'SQLite is enough.' }]);
    expect(run.events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['agent.started', 'agent.completed']));
    expect((await run.handle.tree()).status).toBe('completed');
  });

  test('returns only the calls of the run, with those of its delegations', async () => {
    const script = scriptByDepth(
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('Delegated.')),
      scriptByTurn(say('Done.')),
    );
    const run = await harness.run({ goal: 'Delegate.', script });
    expect(run.calls.map(({ depth }) => depth)).toEqual([0, 1, 0]);
  });

  test('returns a failed run as an outcome', async () => {
    const run = await harness.run({ goal: 'Fail.', script: () => fail(401) });
    expect(run.outcome).toMatchObject({ kind: 'failed', type: 'Model.Unauthorized' });
    expect(run.answer).toBeUndefined();
    const refused = await harness.run({ goal: 'Be refused.', script: () => refuse('No.') });
    expect(refused.outcome).toMatchObject({ kind: 'failed', type: 'Model.Refused' });
  });

  test('shows each attempt when the provider fails at first', async () => {
    const script = failFirstAttempts([overloaded()], scriptByTurn(say('At last.')));
    const run = await harness.run({ goal: 'Try again.', script });
    expect(run.calls.map(({ attempt, status }) => [attempt, status])).toEqual([
      [0, 529],
      [1, 200],
    ]);
  });

  test('throws the error of a script at once, instead of waiting for retries', async () => {
    const script = scriptByTurn(noteTool);
    await expect(harness.run({ goal: 'Say more than the script has.', script })).rejects.toThrow(
      'The script has 1 turns but the conversation is at turn 1',
    );
  });

  test('throws when the time is up, says what the run was waiting for, and terminates it', async () => {
    const running = harness.run({ runId: 'too-slow', goal: 'Wait.', script: () => hang(), timeoutMs: 1_500 });
    await expect(running).rejects.toThrow(/too-slow did not end within 1500 ms\. Requests to the model: 1\. .*model/s);
    expect(await harness.baton.run('too-slow').result()).toMatchObject({ kind: 'failed', type: 'Terminated' });
  });

  test('refuses a second run while one is running, and a run without a script', async () => {
    const gate = createGate();
    const first = harness.run({ goal: 'Be first.', script: () => gate.opened.then(() => say('First.')) });
    await expect(harness.run({ goal: 'Be second.', script: () => say('') })).rejects.toThrow('start a second harness');
    gate.open();
    expect((await first).answer).toBe('First.');
    await expect(harness.run({ goal: 'Have no script.' })).rejects.toThrow('Pass one to `run`');
  });

  test('continues a run with the next worker', async () => {
    const gate = createGate();
    const script = scriptByTurn(noteTool, () => gate.opened.then(() => say('Both workers took part.')));
    const called = harness.model.waitForCall(harness.model.calls.length + 1);
    const running = harness.run({ goal: 'Outlive a worker.', script });
    await called;
    await harness.stopWorker();
    gate.open();
    await pause(100);
    await harness.startWorker();
    expect((await running).answer).toBe('Both workers took part.');
  });
});

describe('starting and closing a harness', () => {
  test('leaves nothing behind, even if the worker is invalid', async () => {
    const harness = await startHarness({ address: testAddress(), script: () => say('Hello.'), withWorker: false });
    await harness.close();
    await harness.close();
    expect(existsSync(harness.folder)).toBe(false);
    const twice = defineTool({
      name: 'read_file',
      id: 'test/read_file@1',
      description: 'Reads.',
      parameters: z.object({}),
      success: 'Read.',
      cost: 'Free.',
      safeToRepeat: true,
      run: () => Promise.resolve({ message: '' }),
    });
    await expect(startHarness({ address: testAddress(), tools: [twice] })).rejects.toThrow('two tools are named');
  });

  test('names an address at which no server responds', async () => {
    await expect(startHarness({ address: '127.0.0.1:1' })).rejects.toThrow('127.0.0.1:1');
  });
});
