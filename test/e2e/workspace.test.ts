import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batonRun } from '../../client';
import { openFileStore } from '../../store/file/open-file-store';
import { say, scriptByTurn, useTools } from '../../testing/scripted-model';
import { Stand } from '../cli/support/stand';

const workflow = '.github/workflows/ci.yml';

describe('the changes of a run', () => {
  let stand: Stand;
  let runId: string;
  beforeAll(async () => {
    stand = await Stand.start(
      scriptByTurn(
        useTools([
          { name: 'read_file', input: { path: 'kubeconfig' } },
          { name: 'write_file', input: { path: workflow, content: 'on: push\n' } },
          { name: 'write_file', input: { path: 'a.txt', content: 'new\n' } },
          { name: 'write_file', input: { path: 'GIT~1/hooks/x', content: 'x' } },
        ]),
        say('Done.'),
      ),
    );
    await mkdir(join(stand.folder, 'workspace'), { recursive: true });
    await writeFile(join(stand.folder, 'workspace', 'a.txt'), 'old\n');
    await writeFile(join(stand.folder, 'workspace', 'kubeconfig'), 'token: hunter2\n');
    runId = stand.newId();
    const { exitCode, stderr } = await stand.baton('run', 'Go', '--id', runId, '--workspace', 'workspace', '--follow');
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  });
  afterAll(() => stand.close());

  test('contain no credentials, and nothing of git', () => {
    const requests = JSON.stringify(stand.model.calls);
    expect(requests).toMatch(/may contain secrets.*belongs to version control/s);
    expect(requests).not.toContain('hunter2');
  });

  test('are pointed out where they can run programs, and then applied only when that is allowed', async () => {
    const diff = await stand.baton('diff', runId);
    expect(diff.stdout).toMatch(/^diff --git a\/\.github\/workflows\/ci\.yml/);
    expect(diff.stderr).toContain(`${workflow} runs in continuous integration`);
    const refused = await stand.baton('apply', runId);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(`baton apply ${runId} --allow-scripts`);
    expect(await readFile(join(stand.folder, 'workspace', 'a.txt'), 'utf8')).toBe('old\n');
    expect(await batonRun(stand.client, runId).changes(await openFileStore(stand.env['BATON_STORE_DIR']!))).toEqual([
      { path: workflow, change: 'added', runs: 'runs in continuous integration' },
      { path: 'a.txt', change: 'changed', runs: null },
    ]);
    const applied = await stand.baton('apply', runId, '--allow-scripts', '--json');
    expect(JSON.parse(applied.stdout)).toMatchObject({ applied: true, written: [workflow, 'a.txt'] });
    expect(await readFile(join(stand.folder, 'workspace', workflow), 'utf8')).toBe('on: push\n');
  });

  test('are in a report that only its owner can read, even if it replaces one that others could', async () => {
    const file = join(stand.folder, 'report.html');
    await writeFile(file, '', { mode: 0o644 });
    expect(await stand.baton('report', runId, '--out', file)).toMatchObject({ exitCode: 0 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});
