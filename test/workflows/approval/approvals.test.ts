import { batonRun } from '../../../client/agent/run-handle';
import { auditRun } from '../../../client/prompt/audit-run';
import { runIdOf } from '../../../domain/kernel';
import { operatorDecisionUpdate } from '../../../workflows/messages';
import { say, type Script, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
import {
  careful,
  dispatchCareful,
  dispatchPlain,
  exchangesAt,
  onPush,
  publish,
  publishTool,
  skillNamed,
} from '../../support/approvals';
import { batch, childrenOf, delegationsOf, reasonOf, reset, resultsOf, toldRoot } from '../../support/batches';
import { Harness, type RunHandle } from '../../support/harness';
import { operated, refusalOf } from '../../support/parked';
import { playRelay, relayNamed } from '../../support/relays';
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

  test('are decided for the rest of the run with "always", also for calls that wait and for agents below', async () => {
    const twice = useTools(['push a', 'push b'].map((command) => ({ name: 'publish', input: { command } })));
    const { handle, asked } = await play(
      [
        scriptByTurn(twice, dispatchPlain, publish('push e --force'), say('done')),
        scriptByTurn(publish('push c'), dispatchPlain, say('ok')),
        scriptByTurn(publish('push d'), say('ok')),
      ],
      { approve: [onPush], tuning: { heartbeatTimeoutMs: 2_000, turnsPerExecution: 1 } },
    );
    const root = agentAt(handle);
    await root.incident('i2');
    await root.decide({ action: 'approve', incident: 'i1', always: true, by: 'ann' });
    // Another rule matches too, about which nobody has decided.
    await root.incident('i3');
    expect([...commands].sort()).toEqual(['push a', 'push b', 'push c', 'push d']);
    expect((await root.snapshot()).decisions).toMatchObject([
      { incident: 'i1', always: true },
      { incident: 'i2', action: 'approve', by: 'ann' },
    ]);
    await root.decide({ action: 'deny', incident: 'i3' });
    await handle.result();
    expect(exchangesAt(asked, 0).at(-1)?.isError).toBe(true);
  });

  test('are denied for the rest of the run, in agents that are already running too', async () => {
    const start = useTools([
      { name: 'publish', input: { command: 'push a' } },
      { name: 'dispatch_subagents', input: batch(['One.', 'Two.']) },
    ]);
    const { handle, asked } = await play(
      [scriptByTurn(start, say('done')), scriptByTurn(publish('push b'), say('ok'))],
      { approve: [onPush] },
    );
    const root = agentAt(handle);
    const children = await delegationsOf(harness.client, handle, 2);
    await root.incident('i1');
    for (const child of children) await agentAt(child).incident('i1');
    await root.decide({ action: 'deny', incident: 'i1', always: true, note: 'frozen' });
    await handle.result();
    expect(commands).toEqual([]);
    expect(exchangesAt(asked, 1)).toEqual([
      { isError: true, text: 'Tool.Denied: publish was not called: an operator denied this call: frozen.' },
    ]);
  });

  test('work at depth three, with the rules of the worker, the run and the prompts above', async () => {
    const three = useTools(
      ['tag 1', 'push x', 'ok --force', 'plain'].map((command) => ({ name: 'publish', input: { command } })),
    );
    const { handle } = await play(
      [
        scriptByTurn(publish('tag 0'), dispatchCareful, say('done')),
        scriptByTurn(dispatchPlain, say('ok')),
        scriptByTurn(dispatchPlain, say('ok')),
        scriptByTurn(three, say('ok')),
      ],
      { approve: [onPush] },
    );
    const below = (workflowId: string): Promise<string> =>
      until(async () => (await childrenOf(harness.client, workflowId))[0]?.workflowId);
    const leaf = agentAt({ workflowId: await below(await below(await below(handle.workflowId))) });
    await leaf.incident('i3');
    const { incidents } = await leaf.snapshot();
    expect(incidents.map(({ message }) => message).sort()).toEqual([
      'The agent wants to call publish with {"command":"ok --force"} (The worker says so.)',
      'The agent wants to call publish with {"command":"push x"} (It cannot be undone.)',
      'The agent wants to call publish with {"command":"tag 1"}',
    ]);
    expect(await until(async () => ((await agentAt(handle).snapshot()).parkedBelow === 1 ? 1 : undefined))).toBe(1);
    const run = batonRun(harness.client, runIdOf(handle.workflowId)!);
    await expect(run.decide(null, { action: 'approve' })).rejects.toMatchObject({ type: 'Client.Ambiguous' });
    for (const { id } of incidents) await run.decide(leaf.handle.workflowId, { action: 'approve', incident: id });
    await handle.result();
    // The prompt's own rule did not apply above it.
    expect(commands.sort()).toEqual(['ok --force', 'plain', 'push x', 'tag 0', 'tag 1']);
  });

  test('of one child of a batch do not hold up its siblings', async () => {
    const reasons = ['One.', 'Two.', 'Three.'];
    const { handle, asked } = await play(
      [
        scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('done')),
        (call) => scriptByTurn(publish(reasonOf(call) === 'Two.' ? 'push 2' : 'build'), say('ok'))(call),
      ],
      { approve: [onPush], limits: { maxTurns: 50, maxDepth: 3, maxChildren: 10, maxParallel: 1 } },
    );
    const children = await delegationsOf(harness.client, handle, 3);
    // Only one runs at a time, so the parked one has given up its place.
    await until(() => Promise.resolve(commands.length === 2 ? true : undefined));
    const parked = agentAt(children[1]!);
    await parked.incident('i1');
    await parked.decide({ action: 'approve', incident: 'i1' });
    await handle.result();
    expect(resultsOf(toldRoot(asked)).map(({ success }) => success)).toEqual([true, true, true]);
  });

  test('of a skill and of the steps of a relay follow the rules of the skill', async () => {
    harness.model.setScript(scriptByTurn(publish('ship it'), say('done')));
    const run = await harness.startRun({ skill: { name: 'releaser' } });
    await agentAt(run).incident('i1');
    await agentAt(run).decide({ action: 'approve', incident: 'i1' });
    await run.result();
    const relay = relayNamed('release', [{ name: 's', skill: 'releaser', input: { goal: { from: 'goal' } } }]);
    const relayed = await playRelay(harness, relay, { approve: [{ tool: 'publish' }] });
    const step = agentAt({
      workflowId: await until(async () => (await childrenOf(harness.client, relayed.workflowId))[0]?.workflowId),
    });
    expect((await step.incident('i1')).call?.rules).toHaveLength(2);
    await step.decide({ action: 'approve', incident: 'i1' });
    await relayed.result();
    expect(commands).toEqual(['ship it', 'ship it']);
  });

  test('of dispatch tools wait before anything is started, and may be edited', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(useTool('dispatch_subagents', batch(['One.', 'Two.'])), dispatchPlain, say('done')),
        scriptByTurn(say('ok')),
      ],
      { approve: [{ tool: 'dispatch_*' }] },
    );
    const root = agentAt(handle);
    await root.incident('i1');
    expect(await childrenOf(harness.client, handle.workflowId)).toHaveLength(1);
    const edit = (reasons: string[]): Promise<unknown> =>
      root.decide({ action: 'approve', incident: 'i1', edit: batch(reasons) as Record<string, never> });
    expect(await refusalOf(edit(['Only.']))).toContain('delegations: must still have 2 entries');
    await edit(['Other.', 'Another.']);
    await root.incident('i2');
    await root.decide({ action: 'deny', incident: 'i2', note: 'enough' });
    await handle.result();
    expect(
      asked
        .filter((call) => reasonOf(call) !== '')
        .map(reasonOf)
        .sort(),
    ).toEqual(['Another.', 'Other.']);
    expect(exchangesAt(asked, 0)[1]?.text).toContain('an operator denied this call: enough.');
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
