import type { Client } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importFolder } from '../../../activities/workspace/import-folder';
import { type CliContext, CliError } from '../../../cli/context';
import { applyCommand } from '../../../cli/workspace/apply';
import { artifactsCommand } from '../../../cli/workspace/artifacts';
import { diffCommand } from '../../../cli/workspace/diff';
import type { RunArtifact, RunFiles, RunWorkspace } from '../../../client/workspace/run-files';
import { openFileStore } from '../../../store/file/open-file-store';
import { addFiles, changeOf, folderWith, newFolder } from '../../store/workspace/support';

type Make = typeof diffCommand;

/** A run with one changed file and one artifact, and a terminal that records its output. */
async function stage(edits: Readonly<Record<string, string>> = {}) {
  const [folder, storeFolder] = [await folderWith({ 'a.txt': 'old\n' }), await newFolder()];
  const store = (await openFileStore(storeFolder)).forRun('r1');
  const { root } = await importFolder(store, folder);
  const changes = [await changeOf(store, 'a.txt', 'new\n', 'old\n')];
  for (const [path, text] of Object.entries(edits)) changes.push(await changeOf(store, path, text));
  const workspace: RunWorkspace = { runId: 'r1', base: root, root, changes, folder };
  const artifacts: RunArtifact[] = [
    { name: 'out/report.md', ref: await store.put(Buffer.from('# Hi'), 'text/markdown'), by: 'run/r1' },
  ];
  const files: RunFiles = {
    workspaceOf: () => Promise.resolve(workspace),
    artifactsOf: () => Promise.resolve(artifacts),
  };
  const said: string[] = [];
  const context = {
    terminal: {
      print: (line: string) => void said.push(line),
      printJson: (value: unknown) => void said.push(JSON.stringify(value)),
      write: (bytes: Uint8Array) => void said.push(Buffer.from(bytes).toString('utf8')),
      note: (line: string) => void said.push(`! ${line}`),
    } satisfies Partial<CliContext['terminal']>,
    connect: () => Promise.resolve({ client: {} as Client, close: () => Promise.resolve() }),
    openStore: () => openFileStore(storeFolder),
  } as unknown as CliContext;
  const run = async (make: Make, ...args: string[]): Promise<string[]> => {
    said.length = 0;
    await make(context, files)
      .exitOverride()
      .parseAsync(['r1', ...args], { from: 'user' });
    return [...said];
  };
  return { folder, run, workspace };
}

test('baton diff prints the patch and nothing else', async () => {
  const { run } = await stage();
  expect(await run(diffCommand)).toEqual([
    'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n',
  ]);
});

test('baton apply writes to the folder that was mounted', async () => {
  const { folder, run } = await stage();
  expect(await run(applyCommand)).toEqual(['wrote    a.txt', `! 1 file changed in ${folder}.`]);
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('new\n');
  expect(JSON.parse((await run(applyCommand, '--json'))[0] ?? '')).toMatchObject({
    applied: true,
    unchanged: ['a.txt'],
  });
});

test('baton apply refuses a folder that changed, and says which files and how to continue', async () => {
  const { folder, run } = await stage();
  await addFiles(folder, { 'a.txt': 'mine\n' });
  const refused = await run(applyCommand).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(CliError);
  expect(refused).toMatchObject({
    exitCode: 1,
    message: 'Nothing was written:\n  a.txt has changed since the run started',
    remedy: 'Add --force to overwrite these files.',
  });
  await run(applyCommand, '--force');
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('new\n');
});

test('baton apply writes to another folder when one is named', async () => {
  const { folder, run } = await stage();
  const other = await folderWith({ 'a.txt': 'old\n' });
  await run(applyCommand, '--to', other);
  expect(await readFile(join(other, 'a.txt'), 'utf8')).toBe('new\n');
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('old\n');
  await expect(run(applyCommand, '--to', join(other, 'none'))).rejects.toThrow(/The folder .* does not exist/);
  await expect(run(applyCommand, '--to', __filename)).rejects.toThrow(/commands\.test\.ts" is not a folder/);
});

describe('changes that can run programs without being asked', () => {
  const workflow = { '.github/workflows/ci.yml': 'on: push\n' };

  test('are pointed out by baton diff, beside the patch', async () => {
    const { run } = await stage(workflow);
    const [patch, ...notes] = await run(diffCommand);
    expect(patch).toMatch(/^diff --git a\/\.github.*diff --git a\/a\.txt/s);
    expect(notes).toEqual([
      '! Review these files with care, because they can run programs without being asked:',
      '!   .github/workflows/ci.yml runs in continuous integration',
      '! baton apply writes the changes only with --allow-scripts.',
    ]);
    const [json = ''] = await run(diffCommand, '--json');
    expect(JSON.parse(json)).toEqual({
      runId: 'r1',
      files: [
        { path: '.github/workflows/ci.yml', change: 'added', runs: 'runs in continuous integration' },
        { path: 'a.txt', change: 'changed', runs: null },
      ],
      patch,
    });
  });

  test('are applied only with --allow-scripts; without it, nothing is written', async () => {
    const { folder, run } = await stage(workflow);
    const refused = await run(applyCommand).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      exitCode: 1,
      message:
        'Nothing was written:\nThese files can run programs without being asked:\n  .github/workflows/ci.yml runs in continuous integration',
      remedy: 'Review them with: baton diff r1\nWrite everything with: baton apply r1 --allow-scripts',
    });
    await expect(run(applyCommand, '--force', '--json')).rejects.toMatchObject({ exitCode: 1 });
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('old\n');
    expect(await run(applyCommand, '--allow-scripts')).toEqual([
      'wrote    .github/workflows/ci.yml',
      'wrote    a.txt',
      `! 2 files changed in ${folder}.`,
    ]);
  });

  test('are listed together with files that have changed, and with the command for both', async () => {
    const { folder, run } = await stage(workflow);
    await addFiles(folder, { 'a.txt': 'mine\n' });
    const refused = await run(applyCommand).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/a\.txt has changed since the run started\n.*\n {2}\.github/) as string,
      remedy: expect.stringContaining('baton apply r1 --force --allow-scripts') as string,
    });
  });
});

test('baton artifacts lists them, or writes them out', async () => {
  const { run } = await stage();
  expect(await run(artifactsCommand)).toEqual(['out/report.md  4 B  text/markdown  run/r1']);
  const out = join(await newFolder(), 'results');
  await run(artifactsCommand, '--out', out);
  expect(await readFile(join(out, 'out/report.md'), 'utf8')).toBe('# Hi');
});
