import { auditRun } from '../../../client/prompt/audit-run';
import { runIdOf } from '../../../domain/kernel';
import { loadPrompt } from '../../../store/prompts';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { childrenOf, delegationsOf } from '../../support/batches';
import { callsAt, dispatchSkill, dispatchTo, done, prompts, skills } from '../../support/controls';
import { dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { operated } from '../../support/parked';
import { treePlayer } from '../../support/tree-player';

describe('the controls of delegations, in a run', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { prompts, skills });
  });
  afterAll(() => harness.close());

  const { play, told } = treePlayer(() => harness, 'dispatch_subagent');
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
    const [child, grandchild] = [callsAt(asked, 1)[0]!.systemText, callsAt(asked, 2)[0]!.systemText];
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
    expect(grandchild).not.toMatch(/golden goose|Look closely/);
    expect(grandchild).toContain('Audit again.');
    const [started] = await delegationsOf(harness.client, handle, 1);
    const recorded = await operated(harness.client, started!.workflowId).snapshot();
    const store = harness.store.forRun(runIdOf(handle.workflowId)!);
    expect(Buffer.from(await loadPrompt(store, recorded.prompt!, 'test')).toString()).toBe(child);
    expect(await audited(handle)).toEqual([null, null, null]);
  });

  test("without controls, the child is told the paths of its parent's policies, and principles in order", async () => {
    const { handle, asked } = await play([
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('done')),
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('ok')),
      done,
    ]);
    await handle.result();
    expect(callsAt(asked, 1)[0]?.systemText).toMatch(
      /- \*\*Inherited\*\*\n {2}- `role`\n {2}- `task`\n {2}- `working-rules`\n/,
    );
    expect(callsAt(asked, 1)[0]?.systemText).toContain('### Execution Principles\n\n1. Do what Delegation Details');
    expect(callsAt(asked, 2)[0]?.systemText).toMatch(/- `answer`\n/);
    expect(callsAt(asked, 2)[0]?.systemText).toMatch(/\n {2}- `delegation-1\/subagent-instructions`\n/);
  });

  test("a skill and a prompt decide whether the parent's prompt is withheld", async () => {
    const { handle, asked } = await play(
      [scriptByTurn(dispatchSkill('open'), dispatchSkill('closed'), dispatchTo('blind'), say('done')), done],
      { goal: 'Find the golden goose.', delegation: { redactions: [{ path: 'answer', reason: 'not yours' }] } },
    );
    await handle.result();
    const [open, closed, hidden] = callsAt(asked, 1).map(({ systemText }) => systemText);
    expect(open).toContain('golden goose');
    expect(open).toMatch(/- `answer` \(\d+ bytes\) – not yours/);
    expect(open).toContain('2. Of the skill.');
    for (const prompt of [closed, hidden]) {
      expect(prompt).not.toContain('golden goose');
      expect(prompt).toContain('- The whole parent prompt (');
      expect(prompt).not.toContain('not yours');
    }
    expect(callsAt(asked, 0)[0]?.systemText).toMatch(/- `open`: .* This one does see your prompt\.\n/);
    expect(await audited(handle)).toEqual([null, null, null, null]);
  });

  test('a delegation is refused if a section that it must withhold does not exist', async () => {
    const { handle, asked } = await play([scriptByTurn(dispatchTo('strict'), say('done')), done]);
    await handle.result();
    expect(told(asked)).toMatchObject({ isError: true });
    expect(told(asked).text).toContain('this delegation must withhold the section "vault"');
    expect(await childrenOf(harness.client, handle.workflowId)).toEqual([]);
  });
});
