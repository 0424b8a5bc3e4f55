import { batonRun } from '../../../client/agent/run-handle';
import { runIdOf } from '../../../domain/kernel';
import { say, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
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
import { batch, childrenOf, delegationsOf, reasonOf, resultsOf, toldRoot } from '../../support/batches';
import { Harness, type RunHandle } from '../../support/harness';
import { operated, refusalOf } from '../../support/parked';
import { playRelay, relayNamed } from '../../support/relays';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

describe('approvals in a tree of agents', () => {
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
});
