import { z } from 'zod';
import { auditRun } from '../../../client/prompt/audit-run';
import type { DelegationControls } from '../../../domain/agent';
import { runIdOf } from '../../../domain/kernel';
import { definePrompt } from '../../../domain/prompt';
import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import { loadPrompt } from '../../../store/prompts';
import { say, type Script, scriptByTurn, type ScriptedCall, useTool, useTools } from '../../../testing/scripted-model';
import { batch, childrenOf, delegationsOf, reset } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { operated } from '../../support/parked';
import { playRelay, relayNamed } from '../../support/relays';
import { treePlayer } from '../../support/tree-player';

const why = { reason: 'The audit changes nothing.', alternative: 'Describe the change.' };

const auditor = definePrompt({
  ns: 'acme',
  key: 'auditor',
  description: 'Audits something.',
  parameters: z.object({}),
  sections: [{ key: 'stance', title: 'Stance', template: 'You audit.' }],
  delegation: {
    redactions: [
      { path: 'task', reason: 'an auditor must not know the goal' },
      { path: 'agent/answer', reason: 'it never existed' },
    ],
    scope: { include: ['The ledger.'], exclude: ['The payroll.'] },
    principles: ['Evidence comes first.', 'Brevity comes second.'],
    policies: {
      inherited: ['working-rules'],
      relaxed: [{ path: 'answer', how: 'the answer may be a list', reason: 'auditors like lists' }],
      added: ['Sign every finding.'],
    },
    tools: {
      write_file: { access: 'revoked', ...why },
      add_note: { access: 'restricted', ...why, maxCalls: 2 },
      write_artifact: { access: 'restricted', ...why, arguments: { name: { glob: ['REPORT*'] } } },
      read_file: { access: 'inherited' },
    },
    escalation: { stopWhen: ['The ledger is closed.'], blockers: ['A missing page.'], partialProgress: 'Send it.' },
    reporting: {
      cadence: 'A note every ten turns.',
      attachments: [{ name: 'EVIDENCE.md', upload: 'write_artifact' }],
      citations: 'Cite page numbers.',
    },
  },
});
const strict = definePrompt({
  ns: 'acme',
  key: 'strict',
  description: 'Works only below a prompt with a vault.',
  parameters: z.object({}),
  sections: [{ key: 'stance', title: 'Stance', template: 'You guard.' }],
  delegation: { redactions: [{ path: 'vault', reason: 'secret', required: true }] },
});
const blind = definePrompt({
  ns: 'acme',
  key: 'blind',
  description: 'Sees only its task.',
  parameters: z.object({}),
  sections: [{ key: 'stance', title: 'Stance', template: 'You work blind.' }],
  delegation: { parentPrompt: 'withheld' },
});

function skill(name: string, delegation: object, tools: string[]): SkillDefinition {
  const parsed = parseSkill({ name, description: 'D.', systemPrompt: `You are ${name}.`, tools, delegation });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.skill;
}
const skills = [
  skill('open', { parentPrompt: 'embedded', principles: ['Of the skill.'] }, ['read_file']),
  skill('closed', { tools: { write_file: { access: 'revoked', ...why } } }, ['read_file', 'write_artifact']),
];

const note = useTool('add_note', { text: 'n' });
const dispatchTo = (key: string, instructions = 'Audit.'): ReturnType<typeof useTool> =>
  useTool('dispatch_subagent', dispatch({ prompt_ns: 'acme', prompt_key: key, instructions }));
const dispatchSkill = (name: string): ReturnType<typeof useTool> =>
  useTool('dispatch_skill', { skill: name, input: { goal: 'Look.' } });
const done = scriptByTurn(say('done'));

describe('the controls of delegations, in a run', () => {
  let harness: Harness;
  beforeAll(async () => {
    const prompts = [auditor, strict, blind].map(({ definition }) => definition);
    harness = await Harness.start(() => say('no script'), { prompts, skills });
  });
  afterAll(() => harness.close());

  const { play, told } = treePlayer(() => harness, 'dispatch_subagent');
  const at = (asked: readonly ScriptedCall[], depth: number): ScriptedCall[] =>
    asked.filter((call) => depthOf(call) === depth);
  const results = (asked: readonly ScriptedCall[], depth: number): string[] =>
    (at(asked, depth).at(-1)?.toolExchanges ?? []).map(({ result }) => result?.text ?? '');
  const withControls = async (delegation: DelegationControls, ...scripts: Script[]): Promise<ScriptedCall[]> => {
    const { handle, asked } = await play(scripts, { delegation });
    await handle.result();
    return asked;
  };
  const audited = async (handle: RunHandle): Promise<(string | null)[]> => {
    const root = await auditRun(harness.client, harness.store.forRun(runIdOf(handle.workflowId)!));
    return [root, ...root.children, ...root.children.flatMap(({ children }) => children)].map((one) => one.difference);
  };

  test('each control of a prompt and of the run reaches the recorded prompt of the child, at any depth', async () => {
    const { handle, asked } = await play(
      [
        scriptByTurn(dispatchTo('auditor'), say('done')),
        scriptByTurn(dispatchTo('auditor', 'Audit again.'), say('audited')),
        done,
      ],
      {
        goal: 'Find the golden goose.',
        delegation: {
          redactions: [
            { path: 'delegation-*/delegation-details/task-summary', reason: 'levels do not see each other' },
          ],
          principles: ['The run has the last word.'],
          reporting: { citations: 'Cite lines.' },
        },
      },
    );
    await handle.result();
    const [child, grandchild] = [at(asked, 1)[0]!.systemText, at(asked, 2)[0]!.systemText];
    for (const line of [
      '### Scope Constraints\n\n- **Included** – The ledger.\n- **Excluded** – The payroll.\n',
      '1. Evidence comes first.\n2. Brevity comes second.\n3. The run has the last word.\n',
      '- **Inherited** – `working-rules`\n- **Relaxed** – `answer` – the answer may be a list (reason: auditors like lists)\n- **Added** – Sign every finding.\n',
      '- **Stop when** – The ledger is closed.\n- **Surface these blockers** – A missing page.\n- **Partial progress** – Send it.\n',
      '- **Status updates** – A note every ten turns.\n',
      '### Attachments\n\n- EVIDENCE.md – write_artifact\n',
      '### Citations\n\nCite lines.\n',
      ' – an auditor must not know the goal\n',
      '- `agent/answer` – the parent prompt has no such section, so nothing was withheld (it never existed)\n',
      '- `write_file` – not available. The audit changes nothing. Instead: Describe the change.\n',
      '- `add_note` – restricted: at most 2 calls by you and your delegations together. The audit',
      '- **Access** – `revoked`\n',
      '- **Access** – `restricted`\n',
    ]) {
      expect(child).toContain(line);
    }
    expect(child).toMatch(/### Redaction Summary\n\n- `task` \(\d+ bytes\) – an auditor/);
    expect(child).not.toContain('golden goose');
    expect(child).not.toContain('`added`');
    expect(grandchild).toContain(
      '- `task` – withheld from the parent agent already (an auditor must not know the goal)',
    );
    expect(grandchild).toMatch(/- `delegation-1\/delegation-details\/task-summary` \(\d+ bytes\) – levels do not see/);
    expect(grandchild).not.toMatch(/golden goose|Audit\.\n/);
    expect(grandchild).toContain('Audit again.');
    const [started] = await delegationsOf(harness.client, handle, 1);
    const recorded = await operated(harness.client, started!.workflowId).snapshot();
    const store = harness.store.forRun(runIdOf(handle.workflowId)!);
    expect(Buffer.from(await loadPrompt(store, recorded.prompt!, 'test')).toString()).toBe(child);
    expect(await audited(handle)).toEqual([null, null, null]);
  });

  test("without controls, the child is told the paths of its parent's policies", async () => {
    const asked = await withControls(
      {},
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('done')),
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('ok')),
      done,
    );
    expect(at(asked, 1)[0]?.systemText).toMatch(
      /- \*\*Inherited\*\*\n {2}- `role`\n {2}- `task`\n {2}- `working-rules`\n/,
    );
    expect(at(asked, 2)[0]?.systemText).toMatch(/- `answer`\n/);
    expect(at(asked, 2)[0]?.systemText).toMatch(/\n {2}- `delegation-1\/subagent-instructions`\n/);
  });

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
    expect(results(asked, 1)).toEqual([
      'Recorded.',
      notMatching,
      notMatching,
      expect.stringContaining('REPORT.md'),
      `write_file was revoked.${explained}`,
      'Recorded.',
      `Tool.Restricted: add_note was not called: no call is left of the 2 that you and your delegations may make together.${explained}`,
    ]);
    const tools = at(asked, 1)[0]?.request.tools as { name: string; description: string }[];
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
    const [first, second] = results(asked, 2);
    expect(first).not.toContain('Tool.Restricted');
    expect(second).toContain('no call is left of the 1 that you');
    expect(results(asked, 1).at(-1)).toContain('no call is left of the 2 that you');
    expect(at(asked, 2)[0]?.systemText).toContain('- `write_artifact` – restricted: `name` must match "REPORT*".');
    expect(JSON.stringify(at(asked, 2)[0]?.request.tools)).not.toContain('"write_file"');
  });

  test("a run's restriction applies to the root and, unrestated, to the children of a batch", async () => {
    const asked = await withControls(
      { tools: { add_note: { access: 'restricted', ...why, maxCalls: 2 } } },
      scriptByTurn(useTool('dispatch_subagents', batch(['One.', 'Two.', 'Three.'])), note, say('done')),
      scriptByTurn(note, say('ok')),
    );
    const children = at(asked, 1).filter(({ turn }) => turn > 0);
    const allowed = children.filter(({ toolResults }) => toolResults[0]?.isError === false);
    expect([children.length, allowed.length]).toEqual([3, 2]);
    expect(results(asked, 0).at(-1)).toContain('no call is left of the 2 that you');
    const [root] = at(asked, 0);
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
    expect(results(asked, 0)[1]).toContain('Tool.Restricted');
  });

  test('a call that needs approval waits for an operator, who allows or denies it', async () => {
    const approval: DelegationControls = { tools: { add_note: { access: 'restricted', ...why, approval: true } } };
    const scripts = [scriptByTurn(dispatchTo('auditor'), say('done')), scriptByTurn(note, note, say('ok'))];
    const { handle, asked } = await play(scripts, { onFailure: 'hold', delegation: approval });
    const [started] = await delegationsOf(harness.client, handle, 1);
    const child = operated(harness.client, started!.workflowId);
    expect(await child.incident('i1')).toMatchObject({
      kind: 'toolRequest',
      type: 'Tool.NeedsApproval',
      tool: 'add_note',
      message: 'The agent wants to call add_note with {"text":"n"} (The audit changes nothing.)',
    });
    expect(await child.details()).toContain(`\`baton approve ${started!.workflowId} --incident i1\``);
    await child.decide({ action: 'approve', incident: 'i1' });
    await child.incident('i2');
    await child.decide({ action: 'deny', incident: 'i2', note: 'one is enough' });
    await handle.result();
    expect(results(asked, 1)).toEqual([
      'Recorded.',
      'Tool.Restricted: add_note was not called: an operator denied this call: one is enough. Reason: The audit changes nothing. Instead: Describe the change.',
    ]);
    const alone = await withControls(approval, ...scripts);
    expect(results(alone, 1)[0]).toContain('an operator has to approve each call, and there is none in this run.');
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
    const [denied, granted, first, second] = results(asked, 1);
    expect(denied).toBe(
      'write_file was denied: it was revoked. Reason: The audit changes nothing. Instead: Describe the change.',
    );
    expect(granted).toContain('- **Access** – `restricted`');
    expect(first).not.toContain('Tool.Restricted');
    expect(second).toContain('Tool.Restricted');
    const revoked = /#### `write_file`[^]*?\*\*Alternative\*\* – (.*)/.exec(at(asked, 1)[0]!.systemText)?.[1];
    expect(revoked).toBe('Describe the change.');
  });

  test("a skill and a prompt decide whether the parent's prompt is withheld", async () => {
    const { handle, asked } = await play(
      [scriptByTurn(dispatchSkill('open'), dispatchSkill('closed'), dispatchTo('blind'), say('done')), done],
      { goal: 'Find the golden goose.', delegation: { redactions: [{ path: 'answer', reason: 'not yours' }] } },
    );
    await handle.result();
    const [open, closed, hidden] = at(asked, 1).map(({ systemText }) => systemText);
    expect(open).toContain('golden goose');
    expect(open).toMatch(/- `answer` \(\d+ bytes\) – not yours/);
    expect(open).toContain('2. Of the skill.');
    for (const prompt of [closed, hidden]) {
      expect(prompt).not.toContain('golden goose');
      expect(prompt).toContain('- The whole parent prompt (');
      expect(prompt).not.toContain('not yours');
    }
    expect(at(asked, 0)[0]?.systemText).toMatch(/- `open`: .* This one does see your prompt\.\n/);
    expect(await audited(handle)).toEqual([null, null, null, null]);
  });

  test('a delegation is refused if a section that it must withhold does not exist', async () => {
    const { handle, asked } = await play([scriptByTurn(dispatchTo('strict'), say('done')), done]);
    await handle.result();
    expect(told(asked)).toMatchObject({ isError: true });
    expect(told(asked).text).toContain('this delegation must withhold the section "vault"');
    expect(await childrenOf(harness.client, handle.workflowId)).toEqual([]);
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
