import { defaultLimits } from '../../../domain/agent';
import { scriptByTurn, refuse, say, useTool, useTools, type ScriptedCall } from '../../../testing/scripted-model';
import { delegationsOf, resultsOf } from '../../support/batches';
import { depthOf } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';

const item = (reason: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  reason,
  expected_result: 'A word.',
  may_delegate_further: 'no',
  recap_lines: [`Do this: ${reason}`],
  ...more,
});
const batch = (...reasons: readonly string[]): Record<string, unknown> => ({
  delegations: reasons.map((reason) => item(reason)),
});
/** Returns which delegation of a batch a call belongs to. */
const reasonOf = ({ systemText }: ScriptedCall): string => /\*\*Reason\*\* – (.*)/.exec(systemText)?.[1] ?? '';

describe('dispatch_subagents', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const { play, told, childrenOf } = treePlayer(() => harness, 'dispatch_subagents');

  test('runs a child per delegation and returns the results in the given order, whichever ends first', async () => {
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagents', batch('Slow.', 'Quick.', 'Failing.')), say('done')),
      (call) => {
        if (reasonOf(call) === 'Failing.') return refuse();
        return say(`From ${reasonOf(call)}`, { delayMs: reasonOf(call) === 'Slow.' ? 1_000 : 0 });
      },
    ]);
    await handle.result();
    expect(told(asked)).toEqual(expect.objectContaining({ isError: false }));
    expect(told(asked).text).toBe(
      [
        '3 delegations: 2 succeeded, 1 failed.',
        '',
        '[',
        '{"output":"From Slow.","success":true,"error":null},',
        '{"output":"From Quick.","success":true,"error":null},',
        '{"output":"","success":false,"error":"Model.Refused: The model refused to continue."}',
        ']',
      ].join('\n'),
    );
  });

  test('wraps the prompt of its parent, with exactly the four bullets before and the recap after', async () => {
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagents', batch('Count the stars.')), say('done')),
      () => say('Seven.'),
    ]);
    await handle.result();
    const [root, child] = asked;
    const id = /\*\*Delegation id\*\* – ([0-9a-z]{26})\n/.exec(child!.systemText)?.[1];
    expect(child?.systemText).toBe(
      [
        '# Delegation Summary',
        '',
        `- **Delegation id** – ${id ?? ''}`,
        '- **Reason** – Count the stars.',
        '- **Expected result** – A word.',
        '- **May delegate further?** – no',
        '',
        '## Parent Prompt (Verbatim)',
        '',
        '<!-- PARENT PROMPT START -->',
        root!.systemText,
        '<!-- PARENT PROMPT END -->',
        '',
        '## Recap',
        '',
        '- Do this: Count the stars.',
        '',
      ].join('\n'),
    );
    expect((await childrenOf(handle)).filter((workflowId) => workflowId.endsWith(id!))).toHaveLength(1);
  });

  test('reports that all of them failed as a result, not as an error', async () => {
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagents', batch('One.', 'Two.')), say('done')),
      () => refuse(),
    ]);
    await handle.result();
    expect(told(asked)).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^All 2 delegations failed\./) as unknown,
    });
  });

  test.each<[string, unknown, RegExp]>([
    ['an empty batch', { delegations: [] }, /^ToolValidationError: delegations: must have at least one/],
    ['no delegations at all', {}, /^ToolValidationError: delegations:/],
    [
      'a delegation without recap lines',
      { delegations: [item('x', { recap_lines: [] })] },
      /delegations\[0\]\.recap_lines/,
    ],
    [
      'a field that is missing',
      { delegations: [item('x', { expected_result: undefined })] },
      /delegations\[0\]\.expected_result/,
    ],
    [
      'a wrong yes or no',
      { delegations: [item('x', { may_delegate_further: 'maybe' })] },
      /delegations\[0\]\.may_delegate_further/,
    ],
    [
      'more than are allowed',
      batch('1', '2', '3', '4'),
      /delegations: 4 requested, but this agent may make only 3 more/,
    ],
  ])('refuses %s with field and remedy, and starts nothing', async (_, input, complaint) => {
    const { handle, asked } = await play(
      [scriptByTurn(useTool('dispatch_subagents', input), say('I see.')), () => say('must not happen')],
      { limits: { ...defaultLimits, maxChildren: 3 } },
    );
    await handle.result();
    expect(told(asked).isError).toBe(true);
    expect(told(asked).text).toMatch(complaint);
    expect(asked.every((call) => depthOf(call) === 0)).toBe(true);
  });

  test('reports a prompt that cannot be composed only for that child', async () => {
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagents', batch('Fine.', 'Two\nlines.')), say('done')),
      () => say('Done.'),
    ]);
    await handle.result();
    expect(resultsOf(told(asked))).toEqual([
      { output: 'Done.', success: true, error: null },
      {
        output: '',
        success: false,
        error: expect.stringMatching(
          /^Prompt\.MultiLine: delegations\[1\]\.reason: it must be a single line\. Write it .* \[delegation_id [0-9a-z]{26}\]/,
        ) as unknown,
      },
    ]);
  });

  test('shows the start of a long output, and stores all of it as an artifact', async () => {
    const long = 'Star after star after star.\n'.repeat(400);
    const { handle, asked } = await play(
      [
        (call) => {
          if (call.turn === 0) return useTool('dispatch_subagents', batch('List the stars.'));
          const name = /read_artifact "([^"]+)"/.exec(resultsOf(told([call]))[0]!.output)?.[1];
          return call.turn === 1 ? useTool('read_artifact', { name }) : say('done');
        },
        () => say(long),
      ],
      { model: { name: 'claude-sonnet-5-5', maxTokens: 8_000, window: 200_000 } },
    );
    await handle.result();
    expect(Buffer.byteLength(told(asked).text)).toBeLessThan(2_000);
    expect(resultsOf(told(asked))[0]?.output).toContain(
      `[cut here: ${long.length} bytes in total; read the rest with read_artifact`,
    );
    expect(asked.at(-1)?.toolResults[0]?.text).toBe(long);
  });

  test('prevents a child from delegating that may not, and only that one', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('dispatch_subagents', {
            delegations: [item('May.', { may_delegate_further: 'yes' }), item('May not.')],
          }),
          say('done'),
        ),
        (call) => {
          if (call.turn > 0) return say(`${reasonOf(call)} ${call.toolResults[0]?.text ?? ''}`);
          return useTool('dispatch_subagents', batch('Further.'));
        },
        () => say('At the bottom.'),
      ],
      { limits: { ...defaultLimits, maxDepth: 3 } },
    );
    await handle.result();
    expect(told(asked).text).toContain('At the bottom.');
    expect(resultsOf(told(asked))[1]?.output).toContain('"**May delegate further?** – no"');
    const without = asked.find((call) => depthOf(call) === 1 && reasonOf(call) === 'May not.');
    expect(without?.request.tools?.map((tool) => 'name' in tool && tool.name)).not.toContain('dispatch_subagents');
  });

  test('shares what the children write, and merges it into the parent', async () => {
    const { handle, asked } = await play([
      scriptByTurn(
        useTool('add_plan_steps', { steps: ['One', 'Two'] }),
        useTool('dispatch_subagents', batch('S001', 'S002')),
        useTool('add_plan_steps', { steps: ['Three'] }),
        useTool('read_artifact', { name: 'S002.md' }),
        say('done'),
      ),
      (call) => {
        const id = reasonOf(call);
        if (call.turn === 0) {
          return useTools([
            { name: 'update_plan_step', input: { id, status: 'done' } },
            { name: 'write_artifact', input: { name: `${id}.md`, content: `Result of ${id}` } },
          ]);
        }
        return say(call.toolResults.map(({ isError }) => (isError ? 'refused' : 'taken')).join(' '));
      },
    ]);
    await handle.result();
    expect(resultsOf(told(asked))[0]).toEqual({ output: 'taken taken', success: true, error: null });
    const last = asked.filter((call) => depthOf(call) === 0).at(-1)!;
    expect(last.toolExchanges.map(({ result }) => result?.text)).toEqual([
      expect.stringContaining('S001, S002'),
      expect.stringContaining('All 2 delegations succeeded.'),
      // The plan's third step: the children's writes were merged.
      expect.stringContaining('S003'),
      'Result of S002',
    ]);
  });

  test('keeps to its concurrency limit, and to a small history, with 150 children in one call', async () => {
    let running = 0;
    let most = 0;
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('dispatch_subagents', batch(...Array.from({ length: 150 }, (_, i) => `Child ${i}.`))),
          say('done'),
        ),
        async (call) => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setTimeout(resolve, 20));
          running -= 1;
          return say(`I was ${reasonOf(call)}`);
        },
      ],
      {
        limits: { ...defaultLimits, maxParallel: 16 },
        model: { name: 'claude-sonnet-5-5', maxTokens: 60_000, window: 1_000_000 },
      },
    );
    await handle.result();
    expect(resultsOf(told(asked)).map(({ output }) => output)).toEqual(
      Array.from({ length: 150 }, (_, i) => `I was Child ${i}.`),
    );
    expect(most).toBeLessThanOrEqual(16);
    // Checked in the execution of the batch, because the agent may have continued as new since.
    expect(await delegationsOf(harness.client, handle, 150)).toHaveLength(150);
    const { historySize } = await harness.client.workflow
      .getHandle(handle.workflowId, handle.firstExecutionRunId)
      .describe();
    process.stderr.write(
      `history of a parent of 150: ${historySize} bytes, ${Math.round(historySize! / 150)} a child\n`,
    );
    // A thousand children take less than 3 MB.
    expect(historySize! / 150).toBeLessThan(2_900);
  });
});
