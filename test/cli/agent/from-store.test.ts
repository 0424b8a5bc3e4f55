import { WorkflowNotFoundError } from '@temporalio/client';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBaton, type RunHandle } from '../../../client';
import { ConnectionFailedError } from '../../../temporal-config/node/setup-error';
import { refuse, say, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
import { batch, reasonOf } from '../../support/batches';
import { byDepth, dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { writeProject } from '../../support/skill-project';
import { until } from '../../support/until';
import { batonInProcess, type Printed } from '../support/in-process';

const script = byDepth(
  scriptByTurn(
    useTool('dispatch_subagent', dispatch()),
    useTool('dispatch_subagents', batch(['one', 'bad'])),
    useTools([
      { name: 'write_file', input: { path: 'src/new.ts', content: 'export {};\n' } },
      { name: 'write_artifact', input: { name: 'REPORT.md', content: '# Report' } },
    ]),
    say('All done.'),
  ),
  (call) => (reasonOf(call) === 'bad' ? refuse() : say('Fine.')),
);

/** Lines of `baton show` that only the server knows exactly. */
const serverLines = /^(?:started|ended|took|history|web) .*\n/gm;

describe('a run that the server no longer has', () => {
  let harness: Harness;
  let run: RunHandle;
  let child: string;
  const live = new Map<string, string>();

  const baton = (args: readonly string[], unreachable?: Error): Promise<Printed> => {
    const env = { BATON_STORE_DIR: join(harness.folder, 'store') };
    const { client, folder } = harness;
    return batonInProcess({ client, folder, env, ...(unreachable === undefined ? {} : { unreachable }) }, args);
  };
  const commands = (): string[][] => [
    // First, because it stores the folded tree, which an audit counts.
    ['diff', run.runId],
    ['diff', run.runId, '--json'],
    ['audit', run.runId],
    ['audit', run.runId, '--json'],
    ['prompt', run.runId],
    ['prompt', child],
    ['prompt', child, '--parent'],
    ['prompt', child, '--root'],
    ['artifacts', run.runId, '--json'],
    ['show', run.runId],
    ['show', child],
    ['tree', run.runId],
  ];
  const comparable = ({ stdout }: Printed): string => stdout.replace(serverLines, '');

  beforeAll(async () => {
    // Histories that were deleted can't be replayed.
    harness = await Harness.start(script, { replayed: false });
    const workspace = { root: await writeProject(join(harness.folder, 'project')) };
    run = await createBaton(harness.client, harness).startRun({ goal: 'Look around.', workspace });
    await run.result();
    const tree = await until(async () => {
      const found = await run.tree();
      const ended = found.children.filter(({ closedAt }) => closedAt !== null);
      return ended.length === 3 ? found : undefined;
    });
    child = tree.children[0]?.workflowId.replace(/^run\//, '') ?? '';
    for (const command of commands()) live.set(command.join(' '), comparable(await baton(command)));
    await deleteAll([tree.workflowId, ...tree.children.map(({ workflowId }) => workflowId)]);
  });
  afterAll(() => harness.close());

  /** Deletes workflows, as the server does when their retention period has passed. */
  async function deleteAll(workflowIds: readonly string[]): Promise<void> {
    const { client } = harness;
    for (const workflowId of workflowIds) {
      const workflowExecution = { workflowId };
      await client.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
    }
    for (const workflowId of workflowIds) {
      const handle = client.workflow.getHandle(workflowId);
      const isGone = (error: unknown): true | undefined => error instanceof WorkflowNotFoundError || undefined;
      await until(() => handle.describe().then(() => undefined, isGone));
    }
  }

  test('audit, prompt, artifacts, diff, show and tree print the same from the store, and say so in one line', async () => {
    for (const command of commands()) {
      const printed = await baton(command);
      expect(printed.stderr.trim()).toBe('From the store; the server no longer has this run.');
      expect([command.join(' '), printed.exitCode, comparable(printed)]).toEqual([
        command.join(' '),
        0,
        live.get(command.join(' ')),
      ]);
    }
  });

  test('report writes a page from the store, which says what is missing', async () => {
    const out = join(harness.folder, 'report.html');
    const recorded = await baton(['report', run.runId, '--out', out]);
    expect(recorded).toMatchObject({ exitCode: 0 });
    expect(recorded.stderr).toContain('It is shown from the store');
    expect(await readFile(out, 'utf8')).toContain('<script type="application/json" id="recording">');
    const printed = await baton(['report', run.runId, '--plain', '--out', out]);
    expect(printed.exitCode).toBe(0);
    expect(printed.stderr).toMatch(/^From the store; the server no longer has this run\.\n/);
    const page = await readFile(out, 'utf8');
    expect(page).toContain('All done.');
    expect(page).toContain('made from the store');
  });

  test('artifacts are exported, and changes applied, from the store', async () => {
    const out = join(harness.folder, 'out');
    expect((await baton(['artifacts', run.runId, '--out', out])).exitCode).toBe(0);
    expect(await readFile(join(out, 'REPORT.md'), 'utf8')).toBe('# Report');
    expect((await baton(['apply', run.runId])).exitCode).toBe(0);
    expect(await readFile(join(harness.folder, 'project', 'src', 'new.ts'), 'utf8')).toBe('export {};\n');
  });

  test('artifacts are not exported to a file, which is named and left as it is', async () => {
    const out = join(harness.folder, 'a-file');
    await writeFile(out, 'mine');
    const { exitCode, stdout, stderr } = await baton(['artifacts', run.runId, '--out', out]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`"${out}" is not a folder.\nPass another folder with --out <dir>.`);
    expect(await readFile(out, 'utf8')).toBe('mine');
  });

  test('an unreachable server is named as the reason', async () => {
    const unreachable = new ConnectionFailedError('Cannot connect.', 'Check it.');
    const printed = await baton(['audit', run.runId], unreachable);
    expect(printed).toMatchObject({ exitCode: 0, stderr: 'From the store; the server is unreachable.\n' });
    expect(await baton(['audit', 'no-such-run'], unreachable)).toMatchObject({ exitCode: 3 });
  });

  test('list --store lists it', async () => {
    const [row] = JSON.parse((await baton(['list', '--store', '--json'])).stdout) as unknown[];
    expect(row).toMatchObject({ runId: run.runId, status: 'completed', goal: 'Look around.' });
    expect((await baton(['list', '--store'])).stdout).toMatch(/completed .* Look around\./);
  });

  test.each(['audit', 'prompt', 'artifacts', 'report', 'show', 'diff', 'tree'])(
    'baton %s of an unknown run is an error in one sentence',
    async (command) => {
      const { exitCode, stderr } = await baton([command, 'typo']);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^(?:error: )?(?:Run|Agent) "(?:run\/)?typo" does not exist\.\n/);
      expect(stderr).not.toMatch(/\n\s+at |ServiceError|NOT_FOUND/);
    },
  );

  test.each(['prompt', 'show', 'tree'])(
    'baton %s of an unknown delegation says that the run has none',
    async (command) => {
      const { exitCode, stderr } = await baton([command, `${run.runId}/zzz`]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`Run ${run.runId} has no delegation "zzz".`);
    },
  );
});
