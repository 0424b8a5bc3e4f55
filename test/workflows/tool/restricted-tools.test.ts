import type { DelegationControls } from '../../../domain/agent';
import { say, type Script, scriptByTurn, type ScriptedCall, useTool, useTools } from '../../../testing/scripted-model';
import { batch, delegationsOf, reset } from '../../support/batches';
import {
  callsAt,
  dispatchSkill,
  dispatchTo,
  done,
  note,
  prompts,
  resultsAt,
  skills,
  why,
} from '../../support/controls';
import { dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { playRelay, relayNamed } from '../../support/relays';
import { treePlayer } from '../../support/tree-player';

describe('restricted and revoked tools', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { prompts, skills });
  });
  afterAll(() => harness.close());

  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  const withControls = async (delegation: DelegationControls, ...scripts: Script[]): Promise<ScriptedCall[]> => {
    const { handle, asked } = await play(scripts, { delegation });
    await handle.result();
    return asked;
  };

  test('a restricted tool is enforced: arguments, also of a long input, and the number of calls, across continue-as-new', async () => {
    const write = (name: string, content = 'x'): ReturnType<typeof useTool> =>
      useTool('write_artifact', { name, content });
    const { handle, asked } = await play(
      [
        scriptByTurn(dispatchTo('auditor'), say('done')),
        scriptByTurn(
          note,
          write('OTHER.md'),
          write('OTHER.md', 'long '.repeat(1_000)),
          write('REPORT.md', 'long '.repeat(1_000)),
          useTool('write_file', { path: 'a', content: 'b' }),
          useTools([
            { name: 'add_note', input: { text: 'second' } },
            { name: 'add_note', input: { text: 'third' } },
          ]),
          say('ok'),
        ),
      ],
      {
        model: { name: 'claude-sonnet-5-5', maxTokens: 8_000, window: 200_000 },
        tuning: { heartbeatTimeoutMs: 2_000, turnsPerExecution: 2 },
      },
    );
    await handle.result();
    const explained = ' Reason: The audit changes nothing. Instead: Describe the change.';
    const notMatching = `Tool.Restricted: write_artifact was not called: \`name\` must match "REPORT*".${explained}`;
    expect(resultsAt(asked, 1)).toEqual([
      'Recorded.',
      notMatching,
      notMatching,
      expect.stringContaining('REPORT.md'),
      `write_file was revoked.${explained}`,
      'Recorded.',
      `Tool.Restricted: add_note was not called: no call is left of the 2 that you and your delegations may make together.${explained}`,
    ]);
    const tools = callsAt(asked, 1)[0]?.request.tools as { name: string; description: string }[];
    expect(tools.map(({ name }) => name)).not.toContain('write_file');
    expect(tools.find(({ name }) => name === 'add_note')?.description).toContain('Restricted: at most 2 calls');
  });

  test('grandchildren inherit restrictions, and use up the calls of those above them', async () => {
    const asked = await withControls(
      {},
      scriptByTurn(dispatchTo('auditor'), say('done')),
      scriptByTurn(note, useTool('dispatch_subagent', dispatch()), note, say('ok')),
      scriptByTurn(useTools([1, 2].map((text) => ({ name: 'add_note', input: { text: String(text) } }))), say('ok')),
    );
    const [first, second] = resultsAt(asked, 2);
    expect(first).not.toContain('Tool.Restricted');
    expect(second).toContain('no call is left of the 1 that you');
    expect(resultsAt(asked, 1).at(-1)).toContain('no call is left of the 2 that you');
    expect(callsAt(asked, 2)[0]?.systemText).toContain('- `write_artifact` – restricted: `name` must match "REPORT*".');
    expect(JSON.stringify(callsAt(asked, 2)[0]?.request.tools)).not.toContain('"write_file"');
  });

  test("a run's restriction applies to the root and, unrestated, to the children of a batch", async () => {
    const asked = await withControls(
      { tools: { add_note: { access: 'restricted', ...why, maxCalls: 2 } } },
      scriptByTurn(useTool('dispatch_subagents', batch(['One.', 'Two.', 'Three.'])), note, say('done')),
      scriptByTurn(note, say('ok')),
    );
    const children = callsAt(asked, 1).filter(({ turn }) => turn > 0);
    const allowed = children.filter(({ toolResults }) => toolResults[0]?.isError === false);
    expect([children.length, allowed.length]).toEqual([3, 2]);
    expect(resultsAt(asked, 0).at(-1)).toContain('no call is left of the 2 that you');
    const [root] = callsAt(asked, 0);
    expect(children[0]?.request.tools).toEqual(
      (root?.request.tools as { name: string }[]).filter(({ name }) => !name.startsWith('dispatch_')),
    );
    expect(children[0]?.systemText).not.toContain('Restricted');
  });

  test('the count of calls survives a reset', async () => {
    const { handle, asked } = await play([scriptByTurn(note, note, say('done'))], {
      delegation: { tools: { add_note: { access: 'restricted', ...why, maxCalls: 1 } } },
    });
    await handle.result();
    const { events } = await handle.fetchHistory();
    const last = events!.filter((event) => event.workflowTaskCompletedEventAttributes).at(-1)!;
    const paid = asked.length;
    const runId = handle.firstExecutionRunId;
    const again = await reset(harness.client, { workflowId: handle.workflowId, runId }, last.eventId);
    await harness.client.workflow.getHandle(handle.workflowId, again).result();
    expect(asked).toHaveLength(paid);
    expect(resultsAt(asked, 0)[1]).toContain('Tool.Restricted');
  });

  test('a call that needs approval waits for an operator, who allows or denies it', async () => {
    const approval: DelegationControls = { tools: { add_note: { access: 'restricted', ...why, approval: true } } };
    const scripts = [scriptByTurn(dispatchTo('auditor'), say('done')), scriptByTurn(note, note, say('ok'))];
    const { handle, asked } = await play(scripts, { onFailure: 'hold', delegation: approval });
    const [started] = await delegationsOf(harness.client, handle, 1);
    const child = operated(harness.client, started!.workflowId);
    expect(await child.incident('i1')).toMatchObject({
      kind: 'approval',
      type: 'Tool.NeedsApproval',
      tool: 'add_note',
      message: 'The agent wants to call add_note with {"text":"n"} (The audit changes nothing.)',
    });
    expect(await child.details()).toContain(`\`baton approve ${started!.workflowId} --incident i1\``);
    await child.decide({ action: 'approve', incident: 'i1' });
    await child.incident('i2');
    await child.decide({ action: 'deny', incident: 'i2', note: 'one is enough' });
    await handle.result();
    expect(resultsAt(asked, 1)).toEqual([
      'Recorded.',
      'Tool.Restricted: add_note was not called: an operator denied this call: one is enough. Reason: The audit changes nothing. Instead: Describe the change.',
    ]);
    const alone = await play(scripts, { delegation: approval, holdMs: 1_000 });
    await alone.handle.result();
    expect(resultsAt(alone.asked, 1)[0]).toBe(
      'Tool.Restricted: add_note was not called: nobody approved it in time. Reason: The audit changes nothing. Instead: Describe the change.',
    );
  });

  test('request_tool gets around neither a revoked tool nor a restriction', async () => {
    const ask = (name: string): ReturnType<typeof useTool> => useTool('request_tool', { name, reason: 'I need it.' });
    const { handle, asked } = await play(
      [
        scriptByTurn(dispatchSkill('closed'), say('done')),
        scriptByTurn(ask('write_file'), ask('add_note'), note, note, say('ok')),
      ],
      {
        toolRequests: { grant: ['write_file', 'add_note'], deny: [] },
        delegation: { tools: { add_note: { access: 'restricted', ...why, maxCalls: 1 } } },
      },
    );
    await handle.result();
    const [denied, granted, first, second] = resultsAt(asked, 1);
    expect(denied).toBe(
      'write_file was denied: it was revoked. Reason: The audit changes nothing. Instead: Describe the change.',
    );
    expect(granted).toContain('- **Access** – `restricted`');
    expect(first).not.toContain('Tool.Restricted');
    expect(second).toContain('Tool.Restricted');
    const revoked = /#### `write_file`[^]*?\*\*Alternative\*\* – (.*)/.exec(callsAt(asked, 1)[0]!.systemText)?.[1];
    expect(revoked).toBe('Describe the change.');
  });

  test('a run that restricts a tool which its root does not have is refused', async () => {
    const { handle } = await play([done], { delegation: { tools: { add_notes: { access: 'revoked', ...why } } } });
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: 'Input.Invalid', message: expect.stringContaining('delegation.tools.add_notes') as unknown },
    });
  });

  test("a relay's restrictions apply to its steps, together with those of the run", async () => {
    const asked: ScriptedCall[] = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return scriptByTurn(
        useTool('write_artifact', { name: 'OTHER.md', content: 'x' }),
        useTool('write_artifact', { name: 'REPORT.md', content: 'x' }),
        useTool('write_artifact', { name: 'REPORT.md', content: 'y' }),
        say('done'),
      )(call);
    });
    const relay = relayNamed('guarded', [{ name: 's', skill: 'closed', input: { goal: { from: 'goal' } } }]);
    const rules = {
      write_artifact: { access: 'restricted' as const, ...why, arguments: { name: { glob: ['REPORT*'] } } },
    };
    const calls = { write_artifact: { access: 'restricted' as const, ...why, maxCalls: 1 } };
    const run = await playRelay(harness, { ...relay, delegation: { tools: rules } }, { delegation: { tools: calls } });
    await run.result();
    expect(asked.at(-1)?.toolExchanges.map(({ result }) => result?.isError)).toEqual([true, false, true]);
  });
});
