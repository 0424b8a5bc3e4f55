import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findScenario, say, useTools } from '../../../testing/scripted-model';
import { until } from '../../support/until';
import { batonInProcess, type Printed } from '../support/in-process';
import { Stand } from '../support/stand';

describe('approvals and questions on the command line', () => {
  let stand: Stand;
  const scenario = { approval: findScenario('approval')!, question: findScenario('question')! };
  beforeAll(async () => {
    stand = await Stand.start((call) => {
      if (call.systemText.includes('Ask me')) return scenario.question(call);
      if (!call.systemText.includes('Two at once')) return scenario.approval(call);
      if (call.toolExchanges.length > 0) return say(call.toolExchanges.map(({ result }) => result?.text).join(' | '));
      return useTools(['A.md', 'B.md'].map((name) => ({ name: 'write_artifact', input: { name, content: 'x' } })));
    });
  });
  afterAll(() => stand.close());

  /** Most commands run in this process, which is quicker; what the program itself adds is tested with a real one. */
  const baton = (...args: readonly string[]): Promise<Printed> => {
    const { client, folder, env } = stand;
    return batonInProcess({ client, folder, env }, args);
  };
  const started = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, exitCode } = await baton('run', ...args);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const id = stdout.trim();
    await until(async () => ((await baton('why', id)).stdout.includes('waiting for an operator') ? true : undefined));
    return id;
  };

  test('every command shows a call that waits, with what to type next; the answer ends the wait', async () => {
    const id = await started('Write the notes', '--approve', 'write_artifact:^RELEASE');
    const why = await baton('why', id);
    expect(why.stdout).toContain(`baton approve ${id} i1`);
    expect(why.stdout).toContain(`baton deny ${id} i1`);
    expect(why.stdout).toContain(`baton show ${id} --incident i1`);
    await until(async () =>
      (await baton('list', '--status', 'needs-operator')).stdout.includes(id) ? true : undefined,
    );
    expect((await baton('tree', id)).stdout).toMatch(
      /needs operator .*i1 Tool\.NeedsApproval: The agent wants to call/,
    );
    expect((await baton('show', id)).stdout).toMatch(
      /^incident +i1 \(write_artifact\): Tool\.NeedsApproval: .*, until /m,
    );
    expect((await baton('tail', id)).stdout).toContain(
      `needs an operator: i1, write_artifact, Tool.NeedsApproval (baton approve ${id} i1): The agent`,
    );
    expect((await baton('show', id)).stdout).toContain(`baton approve ${id} i1 · baton deny ${id} i1`);
    const shown = await stand.baton('show', id, '--incident', 'i1');
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    expect(shown.stdout).toContain('"content": "# Release 7\\n\\nEverything is new.\\n"');
    const json = JSON.parse((await baton('show', id, '--incident', 'i1', '--json')).stdout) as object;
    expect(json).toMatchObject({
      agent: id,
      incident: { kind: 'approval', tool: 'write_artifact' },
      arguments: { name: 'RELEASE.md' },
      commands: [`baton approve ${id} i1`, `baton deny ${id} i1`],
    });
    const edit = '{"name":"RELEASE.md","content":"Nothing is new."}';
    expect(await stand.baton('approve', id, 'i1', '--edit', edit, '--by', 'ada')).toEqual({
      exitCode: 0,
      signal: null,
      stdout: `${id}: incident i1 answered with "approve" by ada.\n`,
      stderr: '',
    });
    const { stdout } = await baton('show', id, '--follow');
    expect(stdout).toContain('I wrote RELEASE.md.');
    expect(stdout).toContain('An operator changed the arguments of this call');
    expect((await baton('show', id)).stdout).toMatch(
      /^decision +approve i1 with \{"name":"RELEASE\.md","content":"Nothing is new\."/m,
    );
    expect((await baton('tail', id)).stdout).toContain('operator: approve i1 with {"name"');
    const report = join(stand.folder, 'report.html');
    await baton('report', id, '--plain', '--out', report);
    expect(await readFile(report, 'utf8')).toContain('Nothing is new.');
  });

  test('bad decisions are refused in a sentence, and the call keeps waiting', async () => {
    const id = await started('Write the notes', '--approve', 'write_artifact');
    const refused = async (code: number, words: RegExp, ...args: string[]): Promise<void> => {
      const { exitCode, stderr, stdout } = await baton(...args);
      expect(stderr).toMatch(words);
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    };
    await refused(2, /--edit: it is not valid JSON/, 'approve', id, '--edit', '{name');
    await refused(2, /--edit: it is not a JSON object/, 'approve', id, '--edit', '[1]');
    await refused(1, /refused: edit: .*content/, 'approve', id, '--edit', '{"name":"A.md"}');
    await refused(1, /i9 is not an open incident\. Open: i1/, 'approve', id, 'i9');
    await refused(1, /has no open incident i9\.\s+Open: i1/, 'show', id, '--incident', 'i9');
    await refused(2, /--incident: it is i2, but i1 is given too/, 'deny', id, 'i1', '--incident', 'i2');
    await refused(2, /"answer" does not apply to any open incident/, 'answer', id, 'yes');
    expect((await baton('tail', id)).stdout).not.toContain('operator: approve');
    const denied = await baton('deny', id, '--note', 'not yet', '--json');
    expect(JSON.parse(denied.stdout)).toMatchObject({ record: { incident: 'i1', action: 'deny', note: 'not yet' } });
    expect((await baton('show', id, '--follow')).stdout).toContain('an operator denied this call: not yet.');
    await refused(1, /has no open incident|does not exist or has ended/, 'approve', id);
  });

  test('several calls that wait are listed, and --always answers all of them', async () => {
    const id = await started('Two at once', '--approve', 'write_artifact');
    await until(async () => ((await baton('show', id)).stdout.includes('i2 ') ? true : undefined));
    const several = await baton('approve', id);
    expect(several.exitCode).toBe(2);
    expect(several.stderr).toContain(`baton approve ${id} i2`);
    await baton('approve', id, 'i2', '--always');
    expect((await baton('show', id, '--follow')).exitCode).toBe(0);
    expect((await baton('show', id)).stdout).toMatch(/^decision +approve i2 always by /m);
  });

  test('a question shows its options, and takes one of them', async () => {
    const id = await started('Ask me', '--ask');
    expect((await baton('why', id)).stdout).toMatch(/Which version do I release\? ?\[1\] 7\.0\.0 \[2\] 7\.0\.0-rc\.1/);
    expect((await baton('why', id)).stdout).toContain(`baton answer ${id} --incident i1 "…"`);
    expect((await baton('show', id, '--incident', 'i1')).stdout).toContain('  2. 7.0.0-rc.1');
    const wrong = await baton('answer', id, '8.0.0');
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toContain('Answer with one of: 1 (7.0.0), 2 (7.0.0-rc.1).');
    expect(await stand.baton('answer', id, '1')).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await baton('show', id, '--follow')).stdout).toContain('An operator answered: 7.0.0\n');
    expect((await baton('tail', id)).stdout).toContain('operator: answer i1 "1"');
  });

  test('rules can be in a file, whose errors have a place', async () => {
    const file = join(stand.folder, 'rules.yaml');
    await writeFile(file, 'approve:\n  - tool: write_artifact\n    when:\n      name: "(oops"\n');
    const bad = await baton('run', 'Write the notes', '--approve', `@${file}`);
    expect(bad.stderr).toMatch(/--approve: .*rules\.yaml:4:\d+: .*is not a regular expression of RE2/);
    expect(bad.exitCode).toBe(2);
    expect((await baton('run', 'x', '--approve', 'write_artifact:[')).stderr).toMatch(
      /not a regular expression of RE2/,
    );
    expect((await baton('run', 'x', '--approve', 'no such tool')).stderr).toContain(
      'Must be a tool, tool:regex or @file',
    );
    await writeFile(
      file,
      'approve:\n  - tool: write_artifact\n    when:\n      name: "[.]md$"\n    reason: It is public.\n',
    );
    const id = await started('Write the notes', '--approve', `@${file}`);
    expect((await baton('why', id)).stdout).toContain('(It is public.)');
    await baton('cancel', id);
  });
});
