import { runIdOf } from '../../../domain/kernel';
import { scriptByTurn, refuse, say, useTool, useTools } from '../../../testing/scripted-model';
import { filesQuery, snapshotQuery } from '../../../workflows/messages';
import { depthOf, dispatch, payloadOf } from '../../support/delegation-script';
import { delegationSnapshots } from '../../support/delegations';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';

describe('dispatch_subagent', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const { play, told } = treePlayer(() => harness, 'dispatch_subagent');

  test('runs a child whose prompt contains its task and the whole prompt of its parent, and returns only its summary', async () => {
    const { handle, asked } = await play([
      scriptByTurn(
        useTool('dispatch_subagent', dispatch({ instructions: '  Count the stars.  ' })),
        say('The child counted.'),
      ),
      scriptByTurn(useTool('list_files', {}), say('There are seven.')),
    ]);
    expect(await handle.result()).toMatchObject({ answer: { text: 'The child counted.' } });
    const [root, child, , rootAgain] = asked;
    expect(child?.systemText).toContain(
      `<!-- PARENT PROMPT START -->\n${root?.systemText ?? ''}\n<!-- PARENT PROMPT END -->`,
    );
    expect(child?.systemText).toContain('### Task Summary\n\nCount the stars.\n');
    expect(rootAgain?.request.messages).toHaveLength(3);
    const [message, payload] = told(asked).text.split('\n\n');
    expect(message).toBe('There are seven.');
    expect(JSON.parse(payload!)).toEqual({
      prompt_ns: 'baton',
      prompt_key: 'subagent',
      message_summary: message,
      artifacts: [],
      tools_used: ['list_files'],
    });
  });

  test('snapshot parity: the child starts from exactly the session of its parent', async () => {
    const { handle } = await play([
      scriptByTurn(
        useTool('add_plan_steps', { steps: ['Look', 'Write'] }),
        useTool('add_note', { text: 'the harbour is closed' }),
        useTool('dispatch_subagent', dispatch({ mode: 'plan_step', plan_step_id: 'S001' })),
        say('done'),
      ),
      scriptByTurn(say('Looked.')),
    ]);
    await handle.result();
    const { before, after } = await delegationSnapshots(harness.client, handle.workflowId);
    expect(before.slices['plan']).toMatchObject([{ id: 'S001', status: 'pending' }, { id: 'S002' }]);
    expect(before.slices['notes']).toMatchObject([{ text: 'the harbour is closed' }]);
    expect(after).toEqual(before);
  });

  test('tool propagation: the child has the same tools as its parent, and can use them', async () => {
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('done')),
      scriptByTurn(useTool('add_note', { text: 'from the child' }), say('Noted.')),
    ]);
    await handle.result();
    const [root, child] = asked;
    expect(child?.request.tools).toEqual(root?.request.tools);
    expect(asked[2]?.toolResults).toMatchObject([{ isError: false }]);
  });

  test('isolation: nothing that the child does reaches the session of its parent', async () => {
    const { handle, asked } = await play([
      scriptByTurn(
        useTool('dispatch_subagent', dispatch()),
        useTool('add_plan_steps', { steps: ['First of the root'] }),
        say('done'),
      ),
      scriptByTurn(
        useTools([
          { name: 'add_plan_steps', input: { steps: ['a', 'b', 'c'] } },
          { name: 'add_note', input: { text: 'only here' } },
        ]),
        say('Planned.'),
      ),
    ]);
    await handle.result();
    expect(asked.at(-1)?.toolResults[0]?.text).toContain('one step');
    const { workspace, artifacts } = await handle.query(filesQuery);
    expect({ workspace, artifacts }).toEqual({ workspace: null, artifacts: [] });
    // The root's plan starts at S001: the child's three steps were never in it.
    const { handle: other, asked: again } = await play([
      scriptByTurn(
        useTool('dispatch_subagent', dispatch()),
        useTool('add_plan_steps', { steps: ['First of the root'] }),
        useTool('update_plan_step', { id: 'S002', status: 'done' }),
        say('done'),
      ),
      scriptByTurn(useTool('add_plan_steps', { steps: ['a', 'b', 'c'] }), say('Planned.')),
    ]);
    await other.result();
    expect(again.at(-1)?.toolResults[0]).toMatchObject({
      isError: true,
      text: expect.stringContaining('S002') as unknown,
    });
  });

  test('structured output: artifacts, files and tools of the child are listed, and its artifacts can be read', async () => {
    const { handle, asked } = await play([
      scriptByTurn(
        useTool('dispatch_subagent', dispatch({ expected_artifacts: ['REPORT.md'] })),
        useTool('read_artifact', { name: 'REPORT.md' }),
        say('done'),
      ),
      scriptByTurn(
        useTool('add_note', { text: 'first' }),
        useTool('write_artifact', { name: 'REPORT.md', content: 'All is well.' }),
        useTool('add_note', { text: 'second' }),
        say('Reported.'),
      ),
    ]);
    await handle.result();
    expect(told(asked)).toMatchObject({ isError: false });
    expect(payloadOf(told(asked))).toMatchObject({
      artifacts: ['REPORT.md'],
      tools_used: ['add_note', 'write_artifact'],
    });
    expect(asked.at(-1)?.toolResults[0]?.text).toBe('All is well.');
    expect((await handle.query(filesQuery)).artifacts).toMatchObject([{ name: 'REPORT.md' }]);
  });

  test('keeps artifacts with the same name apart when two subagents of one reply write them', async () => {
    const { handle, asked } = await play([
      (call) => {
        if (call.turn === 0) {
          return useTools(
            ['One.', 'Two.'].map((instructions) => ({ name: 'dispatch_subagent', input: dispatch({ instructions }) })),
          );
        }
        if (call.turn > 1) return say('done');
        const names = call.toolResults.map((result) => payloadOf(result).artifacts[0]);
        return useTools(names.map((name) => ({ name: 'read_artifact', input: { name } })));
      },
      (call) => {
        const own = call.systemText.includes('### Task Summary\n\nOne.') ? 'one' : 'two';
        return call.turn === 0 ? useTool('write_artifact', { name: 'R.md', content: `by ${own}` }) : say('Written.');
      },
    ]);
    await handle.result();
    expect(asked.at(-1)?.toolResults.map(({ text }) => text)).toEqual(['by one', 'by two']);
    const names = (await handle.query(filesQuery)).artifacts.map(({ name }) => name);
    expect(names).toEqual(['R.md', expect.stringMatching(/^[0-9a-z]{26}\/R\.md$/)]);
  });

  test('never claims success when an expected artifact was not written', async () => {
    const { handle, asked } = await play([
      scriptByTurn(
        useTool('add_plan_steps', { steps: ['Report'] }),
        useTool(
          'dispatch_subagent',
          dispatch({ mode: 'plan_step', plan_step_id: 'S001', expected_artifacts: ['REPORT.md'] }),
        ),
        say('done'),
      ),
      scriptByTurn(say('I forgot.')),
    ]);
    await handle.result();
    expect(told(asked)).toMatchObject({
      isError: true,
      text: expect.stringContaining('Expected but not written: REPORT.md.') as unknown,
    });
  });

  test('marks the plan step in progress while the child works, and done or failed after', async () => {
    const during: unknown[] = [];
    const { handle } = await play([
      scriptByTurn(
        useTool('add_plan_steps', { steps: ['Succeed', 'Fail'] }),
        useTools([
          {
            name: 'dispatch_subagent',
            input: dispatch({ mode: 'plan_step', plan_step_id: 'S001', instructions: 'Succeed.' }),
          },
          {
            name: 'dispatch_subagent',
            input: dispatch({ mode: 'plan_step', plan_step_id: 'S002', instructions: 'Fail.' }),
          },
        ]),
        useTool('dispatch_subagent', dispatch({ instructions: 'Look at the plan.' })),
        say('done'),
      ),
      (call) => {
        if (call.systemText.includes('Look at the plan.')) during.push(call.systemText);
        return call.systemText.includes('### Task Summary\n\nFail.') ? refuse() : say('Done.');
      },
    ]);
    await handle.result();
    expect(during[0]).toMatch(/S001[^\n]*done/);
    expect(during[0]).toMatch(/S002[^\n]*failed/);
  });

  test('a long answer is stored as an artifact, and summarized by its author', async () => {
    const long = 'Every star has a name.\n'.repeat(300);
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('dispatch_subagent', dispatch()),
          useTool('read_artifact', { name: 'FULL_ANSWER.md' }),
          say('done'),
        ),
        scriptByTurn(say(long), say('All stars have names.')),
      ],
      { model: { name: 'claude-sonnet-5-5', maxTokens: 8_000, window: 200_000 } },
    );
    await handle.result();
    expect(told(asked).text).toMatch(/^All stars have names\.\n/);
    expect(asked.at(-1)?.toolResults[0]?.text).toBe(long);
  });

  test("grows the parent's context by at most 1,500 tokens, though the child used 50,000", async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(useTool('dispatch_subagent', dispatch()), say('done')),
        scriptByTurn(
          useTool('write_artifact', { name: 'a.md', content: 'x'.repeat(100_000) }),
          useTool('read_artifact', { name: 'a.md', limit: 1 }),
          say('Read it all.'),
        ),
      ],
      { model: { name: 'claude-sonnet-5-5', maxTokens: 60_000, window: 200_000 } },
    );
    const { delegatedUsage } = await handle.result();
    const total = (of: typeof delegatedUsage): number => of.input + of.cacheRead + of.cacheWrite + of.output;
    expect(total(delegatedUsage)).toBeGreaterThan(50_000);
    const own = harness.model.calls.filter(({ digest }) =>
      asked.some((call) => call.digest === digest && depthOf(call) === 0),
    );
    const sizes = own.map(
      (call) =>
        call.usage!.input_tokens + call.usage!.cache_read_input_tokens + call.usage!.cache_creation_input_tokens,
    );
    expect(sizes[1]! - sizes[0]!).toBeLessThanOrEqual(1_500);
  });

  test('loses nothing across continue-as-new, in the parent and in the child', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('add_plan_steps', { steps: ['One'] }),
          useTool('dispatch_subagent', dispatch({ mode: 'plan_step', plan_step_id: 'S001' })),
          useTool('dispatch_subagent', dispatch({ instructions: 'Again.' })),
          useTool('add_plan_steps', { steps: ['Two'] }),
          useTool('update_plan_step', { id: 'S002', status: 'done' }),
          say('done'),
        ),
        scriptByTurn(
          useTool('add_note', { text: 'n1' }),
          useTool('add_note', { text: 'n2' }),
          useTool('list_files', {}),
          say('child done'),
        ),
      ],
      { tuning: { heartbeatTimeoutMs: 2_000, turnsPerExecution: 2 } },
    );
    expect(await handle.result()).toMatchObject({ answer: { text: 'done' } });
    const results = asked
      .filter((call) => depthOf(call) === 0)
      .at(-1)!
      .toolExchanges.map(({ result }) => result!);
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
    expect(payloadOf(results[1]!)).toMatchObject({ tools_used: ['add_note', 'list_files'] });
    expect(await harness.client.workflow.getHandle(handle.workflowId).query(snapshotQuery)).toMatchObject({
      delegations: 2,
    });
    expect(runIdOf(handle.workflowId)).toBeDefined();
  });
});
