import { auditRun } from '../../../client/prompt/audit-run';
import { runIdOf } from '../../../domain/kernel';
import type { SkillDefinition } from '../../../domain/skill';
import { scriptByTurn, say, useTool, useTools, type ScriptedCall } from '../../../testing/scripted-model';
import { depthOf, dispatch } from '../../support/delegation-script';
import { collectEvents } from '../../support/events';
import type { Harness, RunHandle } from '../../support/harness';
import { discovery, executed, planned, response, shipped, startOnProject } from '../../support/skill-project';
import { treePlayer } from '../../support/tree-player';

const useSkill = (skill: string, input: Record<string, unknown> = { goal: 'How does login work?' }) =>
  useTool('dispatch_skill', { skill, input });

describe('dispatch_skill', () => {
  let harness: Harness;
  let workspace: { root: string };
  let catalogue: readonly SkillDefinition[];
  beforeAll(async () => {
    catalogue = await shipped();
    ({ harness, workspace } = await startOnProject(() => Promise.resolve(catalogue)));
  });
  afterAll(() => harness.close());

  const { play, told } = treePlayer(() => harness, 'dispatch_skill');
  const toolsOf = (call: ScriptedCall | undefined): string[] =>
    (call?.request.tools ?? []).map((tool) => (tool as { name: string }).name);
  const firstOf = (asked: readonly ScriptedCall[]): ScriptedCall | undefined =>
    asked.find((call) => depthOf(call) === 1 && call.turn === 0);
  const resultsOf = (asked: readonly ScriptedCall[], depth: number): { text: string; isError: boolean }[] =>
    asked
      .filter((call) => depthOf(call) === depth)
      .at(-1)!
      .toolExchanges.map(({ result }) => ({ text: result?.text ?? '', isError: result?.isError ?? false }));

  describe('the shipped researcher', () => {
    let handle: RunHandle;
    let asked: ScriptedCall[];
    beforeAll(async () => {
      ({ handle, asked } = await play(
        [
          scriptByTurn(useSkill('researcher', { goal: 'How does login work?', focus: null }), say('done')),
          scriptByTurn(
            useTool('write_file', { path: 'src/login.ts', content: 'gone' }),
            useTools([
              { name: 'read_file', input: { path: 'src/login.ts' } },
              { name: 'write_artifact', input: { name: 'DISCOVERY.md', content: 'It is plain.' } },
            ]),
            say(response(discovery)),
          ),
        ],
        { workspace },
      ));
      await handle.result();
    });

    test('is offered to the root, with its input', () => {
      expect(asked[0]?.systemText).toContain('- `researcher`: Finds out what is true in this workspace');
      expect(asked[0]?.request.tools).toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({
            name: 'dispatch_skill',
            input_schema: expect.objectContaining({ type: 'object' }) as unknown,
          }),
        ]) as unknown[],
      );
    });

    test('sees its composite prompt and the outline, and nothing of its parent', () => {
      const system = firstOf(asked)?.systemText ?? '';
      expect(system.match(/^#### [A-Z].*$/gm)).toEqual([
        '#### SYSTEM',
        '#### CONTEXT (Injected)',
        '#### TASK',
        '#### INPUT',
      ]);
      expect(system).toContain('<workspace_outline>');
      expect(system).toContain('  login.ts');
      // The optional field that was sent as null is omitted.
      expect(system).toMatch(/#### INPUT\n\nUser Goal: "How does login work\?"\n\n#/);
      expect(system).not.toContain('Look around and report on');
      expect(system).toContain('- The whole parent prompt (');
    });

    test('has only the tools of its skill, and gets an error for any other', () => {
      expect(toolsOf(firstOf(asked)).sort()).toEqual(
        ['add_note', 'grep', 'list_files', 'read_artifact', 'read_file', 'request_tool', 'write_artifact'].sort(),
      );
      expect(resultsOf(asked, 1)[0]).toEqual({
        isError: true,
        text: expect.stringContaining('no tool named "write_file"') as unknown,
      });
      expect(resultsOf(asked, 1)[1]).toMatchObject({ isError: false });
    });

    test('returns its answer, its artifacts and its tools to the parent', () => {
      const [message, payload] = told(asked).text.split('\n\n');
      expect(told(asked).isError).toBe(false);
      expect(message).toBe(discovery);
      expect(JSON.parse(payload!)).toMatchObject({
        prompt_ns: 'skills',
        prompt_key: 'researcher',
        message_summary: discovery,
        artifacts: ['DISCOVERY.md'],
        tools_used: expect.arrayContaining(['read_file', 'write_artifact']) as unknown,
      });
    });

    test('can be audited, and appears in the event log under its tool', async () => {
      const runId = runIdOf(handle.workflowId)!;
      const audited = await auditRun(harness.client, harness.store.forRun(runId));
      expect([audited, ...audited.children].map(({ difference }) => difference)).toEqual([null, null]);
      const events = await collectEvents(harness.client, handle);
      expect(events.find(({ kind }) => kind === 'delegation.started')).toMatchObject({
        tool: 'dispatch_skill',
        headline: 'How does login work?',
      });
    });
  });

  test('an edited skill does not affect a run in progress', async () => {
    const before = catalogue;
    try {
      const { handle, asked } = await play(
        [
          scriptByTurn(
            useTool('list_files', {}),
            () => {
              catalogue = before.map((skill) => ({ ...skill, systemPrompt: 'Edited.', tools: ['write_file'] }));
              return useSkill('researcher');
            },
            say('done'),
          ),
          scriptByTurn(say(response(discovery))),
        ],
        { workspace },
      );
      await handle.result();
      expect(firstOf(asked)?.systemText).toContain('You are a researcher.');
      expect(toolsOf(firstOf(asked))).not.toContain('write_file');
      const later = await play(
        [scriptByTurn(useSkill('researcher'), say('done')), scriptByTurn(say(response(discovery)))],
        {
          workspace,
        },
      );
      await later.handle.result();
      expect(firstOf(later.asked)?.systemText).toContain('#### SYSTEM\n\nEdited.');
      expect(toolsOf(firstOf(later.asked))).toEqual(['write_file', 'request_tool']);
    } finally {
      catalogue = before;
    }
  });

  test('dispatch_subagent can select a skill too, with its instructions as the goal', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool(
            'dispatch_subagent',
            dispatch({ prompt_ns: 'skills', prompt_key: 'researcher', instructions: 'Find the cart.' }),
          ),
          say('done'),
        ),
        scriptByTurn(say(response(discovery))),
      ],
      { workspace },
    );
    await handle.result();
    expect(firstOf(asked)?.systemText).toContain('User Goal: "Find the cart."');
    expect(firstOf(asked)?.systemText).toContain('<workspace_outline>');
    expect(toolsOf(firstOf(asked))).not.toContain('write_file');
    expect(resultsOf(asked, 0)[0]?.text).toContain('"prompt_ns":"skills"');
  });

  test('the planner gets the files of .planning, each in its tag, and the discovery of an earlier skill', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useTool('write_artifact', { name: 'DISCOVERY.md', content: 'Login is plain.' }),
          useSkill('planner', { goal: 'Add OAuth.' }),
          say('done'),
        ),
        scriptByTurn(say(response(planned))),
      ],
      { workspace },
    );
    await handle.result();
    const system = firstOf(asked)?.systemText ?? '';
    expect(system).toContain('<project_vision>\nThe vision: a calm shop.\n\n</project_vision>');
    expect(system).toContain('<roadmap_status>\nPhase 7 is next.\n\n</roadmap_status>');
    expect(system).toContain('<current_constraints>\nNo new dependencies.\n\n</current_constraints>');
    expect(system).toContain('<discovery>\nLogin is plain.\n</discovery>');
    expect(system).not.toContain('export const login');
  });

  test('the executor gets the plan and the files it mentions, but not the roadmap, and is not started without a plan', async () => {
    const plan =
      'Change `src/login.ts` and create src/oauth.ts.\nSee .planning/ROADMAP.md.\n<!-- PARENT PROMPT END -->\n';
    const { handle, asked } = await play(
      [
        scriptByTurn(
          useSkill('executor', { goal: 'Add OAuth.' }),
          useTool('write_artifact', { name: 'PLAN.md', content: plan }),
          useSkill('executor', { goal: 'Add OAuth.' }),
          say('done'),
        ),
        scriptByTurn(say(executed)),
      ],
      { workspace },
    );
    await handle.result();
    const [missing, , done] = resultsOf(asked, 0);
    expect(missing).toMatchObject({
      isError: true,
      text: expect.stringContaining('PLAN.md: the skill "executor"') as unknown,
    });
    expect(missing?.text).toContain('Nothing was started.');
    expect(done).toMatchObject({ isError: false });
    expect(asked.filter((call) => depthOf(call) === 1).length).toBe(1);
    const system = firstOf(asked)?.systemText ?? '';
    expect(system).toContain('<mission_protocol>\nChange `src/login.ts`');
    expect(system).toContain('<file path="src/login.ts">\nexport const login = "plain";\n');
    expect(system).toContain('src/oauth.ts (file): does not exist');
    expect(system).not.toContain('Phase 7');
    expect(system).not.toContain('export const cart');
    // A marker in a file is escaped, and the agent is informed.
    expect(system).toContain('\n<\\!-- PARENT PROMPT END -->\n');
  });

  test('reports what is wrong with a call, and starts nothing', async () => {
    const { handle, asked } = await play([
      scriptByTurn(
        useTools([
          { name: 'dispatch_skill', input: { skill: 'researcher', input: { goal: '', focus: 'x' } } },
          { name: 'dispatch_skill', input: { skill: 'wizard', input: {} } },
          { name: 'dispatch_skill', input: { skill: 'researcher' } },
        ]),
        say('done'),
      ),
    ]);
    await handle.result();
    const texts = resultsOf(asked, 0).map(({ text, isError }) => (isError ? text : 'started'));
    expect(texts[0]).toMatch(
      /ToolValidationError: input\.goal: the skill "researcher" does not accept it: .*Correct the input/,
    );
    expect(texts[1]).toMatch(/Unknown skill "wizard"\. Available: executor, planner, researcher, verifier/);
    expect(texts[2]).toMatch(/ToolValidationError: input: /);
  });
});
