import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { batonBin, projectRoot } from '../../support/paths';
import { baton, start } from '../support/process';

const here = { cwd: projectRoot, env: {} };
const inShell = promisify(execFile);

describe('help', () => {
  test('every command has examples in its help', async () => {
    const { stdout, exitCode } = await baton(['--help'], here);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Exit codes: 0 success; 1 the run or the command failed');
    const names = [...stdout.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
    expect(names).toEqual(
      expect.arrayContaining(['dev', 'worker', 'run', 'list', 'show', 'cancel', 'gc', 'doctor', 'demo']),
    );
    for (const help of await Promise.all(names.map((name) => baton([name, '--help'], here)))) {
      expect(help.stdout).toMatch(/^Usage: baton [a-z]+ /);
      expect(help.stdout).toMatch(/^Examples:\n {2}.*\bbaton /m);
      expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    }
  });

  test('is shown as an error when there is no command', async () => {
    const { stdout, stderr, exitCode } = await baton([], here);
    expect(stderr).toContain('Usage: baton');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  test('an unknown command is named, with a suggestion', async () => {
    expect(await baton(['lsit'], here)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: "error: unknown command 'lsit'\n(Did you mean list?)\n",
    });
  });

  test('a reader that closes the pipe early is not an error', async () => {
    const command = `"${process.execPath}" "${batonBin}" --help | head -1`;
    const { stdout, stderr } = await inShell('bash', ['-c', `set -o pipefail; ${command}`]);
    expect({ stdout, stderr }).toEqual({ stdout: 'Usage: baton [options] [command]\n', stderr: '' });
  });
});

describe('in a checkout', () => {
  test.each([
    ['npm run -s baton', ['npm', 'run', '-s', 'baton', '--', '--version']],
    ['npx baton', ['npx', 'baton', '--version']],
  ])('%s prints the output of the command and nothing else', async (_, [program, ...args]) => {
    const { stdout, exitCode } = await start(program!, args, here).ended;
    const { version } = jest.requireActual<{ version: string }>('../../../package.json');
    expect({ stdout, exitCode }).toEqual({ stdout: `${version}\n`, exitCode: 0 });
  });
});
