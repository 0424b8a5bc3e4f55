import { batonRun } from '../../../client/agent/run-handle';
import { auditRun } from '../../../client/prompt/audit-run';
import { runIdOf } from '../../../domain/kernel';
import { operatorDecisionUpdate } from '../../../workflows/messages';
import { say, type Script, scriptByTurn, useTools } from '../../../testing/scripted-model';
import { careful, exchangesAt, onPush, publish, publishTool, skillNamed } from '../../support/approvals';
import { reset } from '../../support/batches';
import { Harness, type RunHandle } from '../../support/harness';
import { operated, refusalOf } from '../../support/parked';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

describe('calls that an operator has to approve', () => {
  const { tool, commands } = publishTool();
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), {
      tools: [tool],
      prompts: [careful.definition],
      skills: [skillNamed('releaser', { approve: { tool: 'publish', when: '^ship' } })],
      approve: [{ tool: 'publish', when: 'force', reason: 'The worker says so.' }],
    });
  });
  afterAll(() => harness.close());
  beforeEach(() => {
    commands.length = 0;
  });

  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  const agentAt = (run: Pick<RunHandle, 'workflowId'>): ReturnType<typeof operated> =>
    operated(harness.client, run.workflowId);
  const oneCall = (command: string): Script => scriptByTurn(publish(command), say('done'));

  test('wait under every failure policy, are asked once, and run when they are approved', async () => {
    const { handle, asked } = await play([scriptByTurn(publish('build'), publish('push main'), say('done'))], {
      approve: [onPush],
    });
    const root = agentAt(handle);
    const incident = await root.incident('i1');
    expect(incident).toMatchObject({
      kind: 'approval',
      type: 'Tool.NeedsApproval',
      tool: 'publish',
      message: 'The agent wants to call publish with {"command":"push main"} (It cannot be undone.)',
      call: { arguments: { text: '{"command":"push main"}' } },
    });
    expect(Date.parse(incident.until!) - Date.parse(incident.since)).toBe(24 * 60 * 60 * 1_000);
    expect(commands).toEqual(['build']);
    expect(await root.status()).toBe('needs_operator');
    expect(await root.details()).toContain('{"command":"push main"}');
    await root.decide({ action: 'approve', incident: 'i1', by: 'ann' });
    await handle.result();
    expect(commands).toEqual(['build', 'push main']);
    expect(exchangesAt(asked, 0)).toEqual([
      { text: 'Ran build.', isError: false },
      { text: 'Ran push main.', isError: false },
    ]);
    expect(await root.status()).toBeNull();
  });

  test('that are denied reach the model as an error with the reason', async () => {
    const { handle, asked } = await play([oneCall('push main')], { approve: [onPush] });
    await agentAt(handle).incident('i1');
    await batonRun(harness.client, runIdOf(handle.workflowId)!).decide(null, { action: 'deny', note: 'not on Friday' });
    await handle.result();
    expect(commands).toEqual([]);
    expect(exchangesAt(asked, 0)).toEqual([
      {
        isError: true,
        text: 'Tool.Denied: publish was not called: an operator denied this call: not on Friday.',
      },
    ]);
  });

  test('can be edited: the tool gets the new arguments, if its schema accepts them, and the model is told', async () => {
    const { handle, asked } = await play([oneCall('push main')], { approve: [onPush] });
    const root = agentAt(handle);
    await root.incident('i1');
    const edit = (value: object): Promise<unknown> =>
      root.decide({ action: 'approve', incident: 'i1', edit: value as Record<string, never> });
    expect(await refusalOf(edit({ command: 7 }))).toContain('edit: command: ');
    expect(await refusalOf(edit({ command: 'x', force: true }))).toContain('edit: ');
    expect(await refusalOf(edit({ command: 'x'.repeat(20_000) }))).toContain(
      'edit: must have at most 16000 characters',
    );
    expect((await root.snapshot()).incidents).toHaveLength(1);
    await root.handle.executeUpdate(operatorDecisionUpdate, {
      args: [{ action: 'approve', incident: 'i1', edit: { command: 'push branch' }, by: 'ann', note: 'safer' }],
    });
    await handle.result();
    expect(commands).toEqual(['push branch']);
    expect(exchangesAt(asked, 0)[0]?.text).toBe(
      'Ran push branch.\n[An operator changed the arguments of this call before it ran, to {"command":"push branch"} Reason: safer.]',
    );
    expect((await root.snapshot()).decisions).toMatchObject([
      { action: 'approve', edited: '{"command":"push branch"}', by: 'ann' },
    ]);
    const audited = await auditRun(harness.client, harness.store.forRun(runIdOf(handle.workflowId)!));
    expect(audited.difference).toBeNull();
  });

  test('are denied when nobody answers within the hold time', async () => {
    const { handle, asked } = await play([oneCall('push main')], { approve: [onPush], holdMs: 1_000 });
    await handle.result();
    expect(exchangesAt(asked, 0)[0]?.text).toBe('Tool.Denied: publish was not called: nobody approved it in time.');
  });

  test('of one reply wait independently, and can be answered in any order', async () => {
    const both = useTools(['push a', 'build', 'push b'].map((command) => ({ name: 'publish', input: { command } })));
    const { handle, asked } = await play([scriptByTurn(both, say('done'))], { approve: [onPush] });
    const root = agentAt(handle);
    await root.incident('i2');
    await until(() => Promise.resolve(commands.includes('build') ? true : undefined));
    const { incidents } = await root.snapshot();
    const [a = '', b = ''] = ['push a', 'push b'].map(
      (text) => incidents.find((one) => one.message.includes(text))!.id,
    );
    await root.decide({ action: 'approve', incident: b });
    await until(() => Promise.resolve(commands.includes('push b') ? true : undefined));
    expect(await refusalOf(root.decide({ action: 'approve', incident: b }))).toContain(`${b} was already answered`);
    expect(await refusalOf(root.decide({ action: 'approve', incident: 'i7' }))).toContain('i7 is not an open incident');
    expect(await refusalOf(root.decide({ action: 'answer', incident: a, text: 'yes' }))).toBe(
      `action: "answer" does not apply to incident ${a} (Tool.NeedsApproval). Use approve, deny.`,
    );
    await root.decide({ action: 'deny', incident: a });
    await handle.result();
    expect(commands).toEqual(['build', 'push b']);
    expect(exchangesAt(asked, 0).map(({ isError }) => isError)).toEqual([true, false, false]);
  });

  test('keep all their arguments for the operator when they are long', async () => {
    const note = 'long '.repeat(1_000);
    const { handle } = await play([scriptByTurn(publish('push main', { note }), say('done'))], {
      approve: [onPush],
      model: { name: 'claude-sonnet-5-5', maxTokens: 8_000, window: 200_000 },
    });
    const { call, message } = await agentAt(handle).incident('i1');
    expect(message.length).toBeLessThan(500);
    const { arguments: given } = call!;
    if (!('ref' in given)) throw new Error('expected a ref');
    const bytes = await harness.store.forRun(runIdOf(handle.workflowId)!).get(given.ref, 'test');
    expect(JSON.parse(Buffer.from(bytes).toString('utf8'))).toEqual({ command: 'push main', note });
    await agentAt(handle).decide({ action: 'deny', incident: 'i1' });
    await handle.result();
  });

  test('a run with an invalid rule, or one about no tool, is refused', async () => {
    for (const [rule, message] of [
      [{ tool: 'publish', when: '(' }, 'approve[0].when'],
      [{ tool: 'publsh' }, 'approve[0].tool'],
    ] as const) {
      const { handle } = await play([oneCall('build')], { approve: [rule] });
      await expect(handle.result()).rejects.toMatchObject({
        cause: { type: 'Input.Invalid', message: expect.stringContaining(message) as unknown },
      });
    }
  });

  test('survive a restart of the worker and a reset, and are not asked again', async () => {
    const { handle, asked } = await play([scriptByTurn(publish('push main'), publish('build'), say('done'))], {
      approve: [onPush],
    });
    const root = agentAt(handle);
    await root.incident('i1');
    await harness.stopWorker();
    await harness.startWorker();
    expect((await root.snapshot()).incidents.map(({ id }) => id)).toEqual(['i1']);
    // While it is parked: the call waits again, as one incident.
    const { runId } = await root.handle.describe();
    await reset(harness.client, { workflowId: handle.workflowId, runId });
    await until(async () => ((await root.handle.describe()).runId === runId ? undefined : true));
    await root.incident('i1');
    await root.decide({ action: 'approve', incident: 'i1' });
    await root.handle.result();
    expect(commands).toEqual(['push main', 'build']);
    const paid = asked.length;
    // After the answer, to the beginning: what was decided stays decided.
    const answered = (await root.handle.describe()).runId;
    await reset(harness.client, { workflowId: handle.workflowId, runId: answered });
    await root.handle.result();
    expect((await root.snapshot()).decisions).toEqual([]);
    expect(asked).toHaveLength(paid);
  });

  test('that are approved while the agent is paused are made, but no model call is', async () => {
    const { handle, asked } = await play([oneCall('push main')], { approve: [onPush] });
    const root = agentAt(handle);
    await root.incident('i1');
    const run = batonRun(harness.client, runIdOf(handle.workflowId)!);
    await run.pause();
    await root.decide({ action: 'approve', incident: 'i1' });
    await until(async () => ((await root.snapshot()).status === 'paused' && commands.length === 1 ? true : undefined));
    expect(asked).toHaveLength(1);
    await run.resume();
    await handle.result();
    expect(asked).toHaveLength(2);
  });

  test('end with the run when it is cancelled, or when its deadline passes', async () => {
    const { handle } = await play([oneCall('push main')], { approve: [onPush] });
    await agentAt(handle).incident('i1');
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    const late = await harness.startRun({
      approve: [onPush],
      deadline: new Date(Date.now() + 4_000).toISOString(),
    });
    await expect(late.result()).rejects.toMatchObject({ cause: { type: 'Budget.Exceeded' } });
    expect(commands).toEqual([]);
  });
});
