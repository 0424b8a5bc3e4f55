import { auditRun } from '../../../client/prompt/audit-run';
import { runIdOf } from '../../../domain/kernel';
import { scriptByTurn, say, useTool, type ScriptedCall } from '../../../testing/scripted-model';
import { delegationsOf } from '../../support/batches';
import { depthOf } from '../../support/delegation-script';
import type { Harness, RunHandle, RunWishes } from '../../support/harness';
import { operated, type OperatedAgent } from '../../support/parked';
import { shipped, startOnProject } from '../../support/skill-project';
import { treePlayer } from '../../support/tree-player';

const ask = (name: string): ReturnType<typeof useTool> =>
  useTool('request_tool', { name, reason: 'The file has to be corrected.' });
const answer = say(
  '<response><discovery><answer>It is plain.</answer><artifact>DISCOVERY.md</artifact></discovery></response>',
);
const write = useTool('write_file', { path: 'src/login.ts', content: 'export const login = "oauth";\n' });

describe('an agent that requests a tool which its skill withholds', () => {
  let harness: Harness;
  let workspace: { root: string };
  beforeAll(async () => {
    ({ harness, workspace } = await startOnProject(await shipped()));
  });
  afterAll(() => harness.close());

  const { play } = treePlayer(() => harness, 'dispatch_skill');
  const start = async (
    turns: readonly ReturnType<typeof useTool>[],
    wishes: RunWishes = {},
  ): Promise<{ run: RunHandle; asked: ScriptedCall[]; child: OperatedAgent }> => {
    const research = useTool('dispatch_skill', { skill: 'researcher', input: { goal: 'Login?' } });
    const root = scriptByTurn(research, say('done'));
    const { handle, asked } = await play([root, scriptByTurn(...turns)], { workspace, ...wishes });
    const [delegation] = await delegationsOf(harness.client, handle, 1);
    return { run: handle, asked, child: operated(harness.client, delegation!.workflowId) };
  };
  const toolsAt = (asked: readonly ScriptedCall[], turn: number): string[] => {
    const call = asked.find((one) => depthOf(one) === 1 && one.turn === turn);
    return (call?.request.tools ?? []).map((tool) => (tool as { name: string }).name);
  };
  const results = (asked: readonly ScriptedCall[]): { text: string; isError: boolean }[] =>
    asked
      .filter((call) => depthOf(call) === 1)
      .at(-1)!
      .toolExchanges.map(({ result }) => ({ text: result?.text ?? '', isError: result?.isError ?? false }));

  test('gets it at once if a rule grants it, and can use it from its next turn on', async () => {
    const { run, asked } = await start([ask('write_file'), write, answer], {
      toolRequests: { grant: ['write_file', 'shell'], deny: [] },
    });
    await run.result();
    expect(toolsAt(asked, 0)).toContain('request_tool');
    expect(toolsAt(asked, 0)).not.toContain('write_file');
    expect(toolsAt(asked, 1)).toContain('write_file');
    const [granted, written] = results(asked);
    expect(granted?.text).toContain('Granted. You can now use:\n\n`write_file`\n- **Identifier** – ');
    expect(granted?.text).toContain("- **Provenance** – granted on request, from the root agent's tools");
    expect(written).toMatchObject({ isError: false });
    const audited = await auditRun(harness.client, harness.store.forRun(runIdOf(run.workflowId)!));
    expect([audited, ...audited.children].map(({ difference }) => difference)).toEqual([null, null]);
  });

  test('is refused at once if a rule, the tools of the root or the policy of the run require it', async () => {
    const { run, asked } = await start(
      [ask('write_file'), ask('shell'), ask('edit_file'), ask('dispatch_subagent'), ask('grep'), answer],
      { toolRequests: { grant: ['shell'], deny: ['write_file'] } },
    );
    await run.result();
    expect(results(asked)).toEqual([
      { isError: true, text: 'write_file was denied: the rules of this run do not allow it. Continue without it.' },
      { isError: true, text: 'shell was denied: the root agent of this run does not have it. Continue without it.' },
      {
        isError: true,
        text: 'edit_file was denied: there is nobody to approve it. Continue without it, and report what you could not do.',
      },
      { isError: true, text: 'dispatch_subagent was denied: your task decides whether you may delegate.' },
      { isError: false, text: 'You already have grep.' },
    ]);
    expect(toolsAt(asked, 5)).toEqual(toolsAt(asked, 0));
  });

  test('waits for an operator if no rule applies, and gets it once the operator approves', async () => {
    const { run, asked, child } = await start([ask('shell'), ask('write_file'), write, answer], {
      onFailure: 'hold',
    });
    expect(await child.incident()).toMatchObject({
      id: 'i1',
      kind: 'toolRequest',
      type: 'Tool.Requested',
      tool: 'write_file',
      message: 'The agent requests write_file: The file has to be corrected.',
    });
    expect(await child.status()).toBe('needs_operator');
    expect(await child.details()).toContain(`\`baton approve ${child.handle.workflowId} --incident i1\``);
    await child.decide({ action: 'approve', incident: 'i1', by: 'ann' });
    await run.result();
    const [shell, granted, written] = results(asked);
    // No operator was asked about a tool that cannot be granted.
    expect(shell?.text).toContain('the root agent of this run does not have it');
    expect(granted?.text).toContain('Granted.');
    expect(written).toMatchObject({ isError: false });
    expect(toolsAt(asked, 2)).toContain('write_file');
  });

  test('continues without it when the operator denies it, and sees why', async () => {
    const { run, asked, child } = await start([ask('write_file'), write, answer], { onFailure: 'hold' });
    await child.incident();
    await child.decide({ action: 'deny', incident: 'i1', note: 'only look' });
    await run.result();
    const [denied, written] = results(asked);
    expect(denied).toEqual({ isError: true, text: 'write_file was denied: only look' });
    expect(written?.text).toContain('There is no tool named "write_file"');
  });

  test('is the only kind of agent that request_tool is offered to', async () => {
    const { handle, asked } = await play(
      [say('done')].map((reply) => scriptByTurn(reply)),
      { workspace },
    );
    await handle.result();
    expect(JSON.stringify(asked[0]?.request.tools)).not.toContain('request_tool');
  });
});
