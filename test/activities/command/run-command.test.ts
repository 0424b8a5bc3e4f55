import { readdir } from 'node:fs/promises';
import { commandTool } from '../../../activities/command/command-tool';
import type { Tool } from '../../../activities/tool/define-tool';
import { describeInSandbox } from '../../support/sandbox';
import { closeRunners, CommandRunner } from './support';

afterEach(closeRunners);

const project = {
  'package.json': '{"name":"sample"}\n',
  'src/add.js': 'module.exports = (a, b) => a + b;\n',
  'src/old.js': 'module.exports = 1;\n',
  'run.sh': '#!/bin/sh\necho ran\n',
  'logo.png': Buffer.from([0x89, 0x50, 0, 1, 2, 3]),
  '.gitignore': 'build/\n*.log\n',
};

describeInSandbox('run_command', () => {
  test('returns the exit code and both outputs', async () => {
    const runner = await CommandRunner.with(project);
    const { message, isError } = await runner.run('echo to out; echo to err >&2; exit 3');
    expect(isError).toBe(true);
    expect(message).toMatch(
      /^Exit code 3 after \d+\.\d s\.\n--- stdout\nto out\n--- end of stdout\n--- stderr\nto err\n/,
    );
    expect(message).toContain('No file of the workspace changed.');
  });

  test('runs in the workspace as it is, in the folder that the call names', async () => {
    const runner = await CommandRunner.with(project);
    expect((await runner.run('pwd; cat add.js; ls ..', { cwd: 'src' })).message).toMatch(
      /\/workspace\/src\nmodule\.exports = \(a, b\) => a \+ b;\nlogo\.png/,
    );
    expect(await runner.files.refusal(toolOf(runner), { command: 'pwd', cwd: 'none' })).toContain(
      '"none" is not a folder',
    );
    expect(await runner.files.refusal(toolOf(runner), { command: 'pwd', cwd: '../..' })).toContain('is not allowed');
    expect(await runner.files.refusal(toolOf(runner), { command: 'pwd', cwd: '/etc' })).toContain('must be relative');
  });

  test('records what it creates, edits, deletes and makes executable, also binary files', async () => {
    const runner = await CommandRunner.with(project);
    const {
      message,
      changes = [],
      isError,
    } = await runner.run(
      'mkdir new && echo hello > new/a.txt; echo "// more" >> src/add.js; rm src/old.js; chmod +x run.sh; printf "\\0\\1" > logo.png; echo x > build.log; mkdir build && echo y > build/z',
    );
    expect(isError).toBe(false);
    expect(message).toContain('Created: "new/a.txt"');
    expect(message).toMatch(/^Changed: ("\S+",? ?){3}$/m);
    expect(message).toContain('Deleted: "src/old.js"');
    expect(
      changes.map(({ path, newHash, mediaType, executable }) => ({
        path,
        gone: newHash === null,
        mediaType,
        executable,
      })),
    ).toEqual(
      expect.arrayContaining([
        { path: 'src/old.js', gone: true },
        { path: 'new/a.txt', gone: false },
        { path: 'src/add.js', gone: false },
        { path: 'run.sh', gone: false, executable: true },
        { path: 'logo.png', gone: false, mediaType: 'application/octet-stream' },
      ]),
    );
    expect(changes).toHaveLength(5);
    expect(await runner.read('new/a.txt')).toBe('hello\n');
    await runner.files.fold();
    expect((await runner.files.context.workspace?.stat('run.sh')) as object).toMatchObject({ executable: true });
    expect((await runner.run('./run.sh; cat src/add.js; ls src')).message).toContain(
      'ran\nmodule.exports = (a, b) => a + b;\n// more\nadd.js',
    );
  });

  test('keeps ignored files for the next call, and nothing else that is not in the workspace', async () => {
    const runner = await CommandRunner.with(project);
    await runner.run(
      'mkdir -p node_modules/x && echo kept > node_modules/x/index.js; echo log > a.log; echo new > note.txt',
    );
    // The change of another call was not accepted, so the file is not in the workspace.
    runner.files.changes = [];
    const { message } = await runner.run('cat node_modules/x/index.js a.log; ls');
    expect(message).toContain('kept\nlog\n');
    expect(message).not.toContain('note.txt');
    expect(await runner.read('node_modules/x/index.js')).toBeUndefined();
  });

  test('brings a scratch folder back to the state of the workspace, whatever a command did to it', async () => {
    const runner = await CommandRunner.with(project);
    await runner.run(
      'rm -rf src; ln -s /etc src; rm package.json; mkdir -p package.json/x; chmod 000 run.sh; rm logo.png',
    );
    runner.files.changes = [];
    const { message, changes } = await runner.run('cat src/add.js package.json run.sh; ls -ld src; wc -c logo.png');
    expect(message).toContain('module.exports = (a, b) => a + b;\n{"name":"sample"}\n#!/bin/sh\necho ran\ndrwx');
    expect(changes).toEqual([]);
  });

  test('leaves out symbolic links, files that may contain secrets, and names that are not allowed', async () => {
    const runner = await CommandRunner.with(project);
    const { message, changes } = await runner.run(
      'rm run.sh; ln -s /etc/passwd run.sh; ln -s /etc/passwd link; echo KEY=1 > .env; mkfifo pipe; touch "$(printf "a\\nb")"; mkdir .git; echo x > .git/config',
    );
    expect(changes).toEqual([]);
    expect(message).toMatch(/Not recorded: ("link", "run\.sh"|"run\.sh", "link") \(symbolic links/);
    expect((await runner.run('cat run.sh')).message).toContain('echo ran');
    expect(message).toMatch(/Not recorded: [^\n]*"\.env"[^\n]*secrets/);
    expect(message).toContain('Not recorded: "pipe" (they are neither files nor folders)');
    expect(message).toContain('Not recorded: "a\\nb" (their names');
  });

  test('names the limit if the changes are too large, and records none of them', async () => {
    const runner = await CommandRunner.with(project, { limits: { changedFileBytes: 1_000 } });
    const large = await runner.run('echo small > small.txt; head -c 2000 /dev/zero > large.bin');
    expect(large).toMatchObject({ isError: true, changes: [] });
    expect(large.message).toContain(
      'No change of files was recorded: "large.bin" has 2000 bytes, and a file of the workspace may have 1000 bytes.',
    );
    const many = await runner.run('for i in $(seq 200); do echo $i > file-$i.txt; done');
    expect(many).toMatchObject({ isError: true, changes: [] });
    expect(many.message).toMatch(/the command changed 200 files, .* one call can record 16384 bytes/);
    expect((await runner.run('ls')).message).not.toContain('file-');
  });

  test('shows the end of a long output, and stores all of it as an artifact', async () => {
    const runner = await CommandRunner.with(project);
    const { message, events = [] } = await runner.run('seq 1000; printf "\\033[31mred\\033[0m\\n" >&2');
    expect(message).toContain('--- stdout (last 60 of 1000 lines)\n941\n');
    expect(message).toContain('--- stderr\nred\n');
    const [{ type, value } = { type: '', value: {} }] = events;
    expect(type).toBe('artifactWritten');
    const { name, ref } = value as { name: string; ref: { hash: string; bytes: number; mediaType: string } };
    expect(message).toContain(`artifact "${name}"`);
    const text = Buffer.from(await runner.files.store.get(ref, 'test')).toString('utf8');
    expect(text).toMatch(/^\$ seq 1000;.*\n\n--- stdout\n1\n2\n/);
    expect(text).toContain('\n1000\n');
  });

  test('ends a command after its time, with its background processes', async () => {
    const runner = await CommandRunner.with(project);
    const { message, isError } = await runner.run('sleep 1234 & echo begun; sleep 1234', { timeout_seconds: 1 });
    expect(isError).toBe(true);
    expect(message).toMatch(
      /^The command was ended after [1-9]\.\d s: it did not end in time \(limit: 1 seconds\)\.\n--- stdout\nbegun/,
    );
    expect(await runner.files.refusal(toolOf(runner), { command: 'x', timeout_seconds: 601 })).toBe(
      'timeout_seconds may be 600 at most.',
    );
  });

  test('gives two commands of one agent that run at the same time a folder each', async () => {
    const runner = await CommandRunner.with(project);
    const both = await Promise.all(['a', 'b'].map((name) => runner.run(`echo ${name} > ${name}; sleep 0.5; ls`)));
    expect(both[0]?.message).not.toMatch(/^b$/m);
    expect(both[1]?.message).not.toMatch(/^a$/m);
    expect([await runner.read('a'), await runner.read('b')]).toEqual(['a\n', 'b\n']);
  });

  test('runs without a workspace, and then keeps no files', async () => {
    const runner = await CommandRunner.with(project);
    runner.files.root = undefined;
    const { message, changes } = await runner.run('echo x > y; ls');
    expect(changes).toEqual([]);
    expect(message).toContain('This run has no workspace: files that the command wrote are not kept.');
  });

  test('deletes its folders when the worker stops', async () => {
    const runner = await CommandRunner.with(project);
    await runner.run('true');
    expect(await readdir(runner.scratchDir)).toHaveLength(1);
    await runner.commands.close();
    expect(await readdir(runner.scratchDir)).toEqual([]);
  });
});

function toolOf({ commands }: CommandRunner): Tool {
  return commandTool(commands, {}, 16_384);
}
