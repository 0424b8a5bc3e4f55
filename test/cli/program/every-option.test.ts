import { Client, Connection } from '@temporalio/client';
import type { Command } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliContext } from '../../../cli/context';
import { createProgram } from '../../../cli/program';
import { environmentPage } from '../../../scripts/reference/environment';
import { testAddress } from '../../support/harness';
import { batonInProcess, type InProcess, type Printed } from '../support/in-process';

const folder = mkdtempSync(join(tmpdir(), 'baton-options-'));
const file = join(folder, 'file.txt');
writeFileSync(file, 'not what is expected');
const env = {
  BATON_STATE_DIR: join(folder, 'state'),
  BATON_STORE_DIR: join(folder, 'store'),
  BATON_TASK_QUEUE: 'nobody-listens',
};

/** Values that are wrong for most options, and harmless where one is right. */
const badValues = [
  '',
  ' ',
  '-1',
  'NaN',
  '1e999',
  '9'.repeat(400),
  'x'.repeat(50_000),
  '__proto__',
  '\u001b]0;owned\u0007\u202e',
  '{"a":1,"a":2}',
  file,
  folder,
  '/proc/nope/x',
  '/dev/full',
  'no/such/file.json',
];

/** What each command needs besides the option under test. Without a goal, and for an unknown relay, nothing is started. */
const needed: Readonly<Record<string, readonly string[]>> = {
  run: [' '],
  relay: ['nothing', '--goal', 'x'],
  skip: ['nobody', '--result', 'x'],
  steer: ['nobody', 'x'],
  compose: ['--input', file],
  wrap: ['--input', file],
  // Refused without a token, so no server is started.
  'codec-server': ['--listen', '0.0.0.0:0'],
  'skills check': [],
  'relays check': [],
};
/** These start processes and servers, or write files wherever they can; `init` and `keys` have tests of their own below. */
const untested = ['dev', 'worker', 'demo', 'init', 'keys'];

interface Case {
  readonly path: readonly string[];
  readonly command: Command;
}

function leaves(command: Command, path: readonly string[] = []): Case[] {
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

/** Checks what every answer to bad input has in common. */
function expectAnswer(args: readonly string[], { exitCode, stdout, stderr }: Printed): void {
  const said = { args: args.map((arg) => arg.slice(0, 60)), exitCode, stdout, stderr: stderr.slice(0, 2_000) };
  const asked = args.includes('--json');
  const isJson = stdout.split('\n').every((line) => line === '' || isParsable(line));
  expect({
    ...said,
    documented: [0, 1, 2, 3].includes(exitCode),
    stack: /^\s+at .*:\d+:\d+/m.test(stderr),
    defect: /failed unexpectedly|undefined|\[object|function /.test(stderr),
    control: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/.test(stdout + stderr),
    endless: stderr.length > 110_000,
    isJson: !asked || (isJson && (exitCode === 0 || stdout !== '')),
    isSilent: exitCode !== 0 && stderr === '',
    isDocumented: !asked || exitCode === 0 || hasErrorFields(stdout, exitCode),
  }).toEqual({
    ...said,
    documented: true,
    stack: false,
    defect: false,
    control: false,
    endless: false,
    isJson: true,
    isSilent: false,
    isDocumented: true,
  });
}

/** Whether an error has the documented fields. A command that has printed its result before it failed prints no error. */
function hasErrorFields(stdout: string, exitCode: number): boolean {
  const { error } = JSON.parse(stdout.split('\n', 1)[0] ?? '') as { error?: Record<string, unknown> };
  if (error === undefined) return true;
  const { message, remedy, type } = error;
  const isText = (value: unknown): boolean => value === null || typeof value === 'string';
  return typeof message === 'string' && isText(remedy) && isText(type) && error['exitCode'] === exitCode;
}

function isParsable(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

describe('every option of every command', () => {
  let here: InProcess;
  let program: Command;
  beforeAll(async () => {
    const connection = await Connection.connect({ address: testAddress() });
    here = { client: new Client({ connection }), folder, env };
    program = await createProgram({ terminal: {} } as CliContext);
  });
  afterAll(async () => {
    await here.client.connection.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const commands = (): Case[] => leaves(program).filter(({ path }) => !untested.includes(path[0] ?? ''));
  const complete = ({ path, command }: Case): string[] => [
    ...path,
    ...(needed[path.join(' ')] ?? command.registeredArguments.filter(({ required }) => required).map(() => 'nobody')),
  ];

  test('answers a bad value with an exit code and a sentence, as JSON if asked', async () => {
    for (const one of commands()) {
      const asJson = one.command.options.some(({ long }) => long === '--json') ? ['--json'] : [];
      for (const option of one.command.options.filter(({ required, optional }) => required || optional)) {
        for (const value of badValues) {
          const args = [...complete(one), ...asJson, `${option.long ?? ''}=${value}`];
          expectAnswer(args, await batonInProcess(here, args));
        }
      }
    }
  });

  test('answers a bad argument in the same way', async () => {
    for (const one of commands().filter(({ command }) => command.registeredArguments.length > 0)) {
      const asJson = one.command.options.some(({ long }) => long === '--json') ? ['--json'] : [];
      const [, ...others] = complete(one).slice(one.path.length);
      for (const value of badValues.filter((each) => each !== '-1')) {
        if (one.path[0] === 'run' && value.trim() !== '') continue;
        const args = [...one.path, ...asJson, '--', value, ...others.filter((other) => !other.startsWith('--'))];
        // With no goal, a relay is not started either.
        expectAnswer(
          args,
          await batonInProcess(
            here,
            one.path[0] === 'relay' ? [...args.filter((arg) => arg !== '--'), '--goal', ' '] : args,
          ),
        );
      }
    }
  });

  test('answers a folder in which no project can be created in the same way', async () => {
    for (const value of [file, join(file, 'below'), '/proc/nope/x', '/dev/full', '/dev/full/x', 'x'.repeat(5_000)]) {
      const printed = await batonInProcess(here, ['init', '--json', value]);
      expect({ value, exitCode: printed.exitCode }).not.toMatchObject({ exitCode: 0 });
      expectAnswer(['init', '--json', value], printed);
    }
  });

  test('answers a file that no key can be written to, and an id that no key can have, in the same way', async () => {
    const files = [folder, join(file, 'below'), '/proc/nope/x', '/dev/full/x', '/dev/null', 'x'.repeat(5_000)];
    // Names such as NaN are fine.
    const ids = badValues.filter((value) => !/^[\w-]{1,64}$/.test(value)).map((value) => ['--', value]);
    for (const args of [...files.map((path) => [`--out=${path}`]), ...ids, ['--out=']]) {
      const all = ['keys', 'new', '--json', ...args];
      const printed = await batonInProcess(here, all);
      expect({ args, exitCode: printed.exitCode }).not.toMatchObject({ exitCode: 0 });
      expectAnswer(all, printed);
    }
  });

  test('answers an unknown option and a missing argument with JSON if asked', async () => {
    for (const { path, command } of commands().filter(({ command }) =>
      command.options.some(({ long }) => long === '--json'),
    )) {
      const { exitCode, stdout } = await batonInProcess(here, [...path, '--json', '--nonsense']);
      expect(exitCode).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({
        error: {
          message: expect.stringMatching(/^unknown option '--nonsense'|^required option/) as string,
          exitCode: 2,
        },
      });
      const bare = await batonInProcess(here, [...path, '--json']);
      expectAnswer([command.name(), '--json'], bare);
    }
  });

  test('answers with JSON if asked, also a command that has none and one that does not exist', async () => {
    for (const { path, command } of commands().filter(({ command }) =>
      command.options.every(({ long }) => long !== '--json'),
    )) {
      const args = [...complete({ path, command }), '--json'];
      const printed = await batonInProcess(here, args);
      expectAnswer(args, printed);
      expect({ args, exitCode: printed.exitCode }).toEqual({ args, exitCode: 2 });
    }
    for (const args of [
      ['lsit', '--json'],
      ['--json', 'list'],
      ['skills', 'lsit', '--json'],
    ]) {
      const { exitCode, stdout } = await batonInProcess(here, args);
      expect({ args, exitCode }).toEqual({ args, exitCode: 2 });
      expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringMatching(/unknown/) as string } });
    }
    const afterDashes = await batonInProcess(here, ['show', '--', 'no body', '--json']);
    expect(afterDashes.stdout).toBe('');
  });

  test('answers a bad value of an environment variable in the same way', async () => {
    const names = [...environmentPage().matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name = '']) => name);
    expect(names).toContain('BATON_STATE_DIR');
    for (const name of names.filter((each) => each !== 'TEMPORAL_PROFILE')) {
      for (const value of badValues) {
        const printed = await batonInProcess({ ...here, env: { ...env, [name]: value } }, ['doctor', '--json']);
        expectAnswer(['doctor', '--json', `${name}=${value}`], printed);
        if (value === '') expect({ name, exitCode: printed.exitCode }).toEqual({ name, exitCode: 0 });
      }
    }
  });

  test('rejects an empty argument wherever it takes one, and names it', async () => {
    const all = leaves(program).filter(({ path }) => !['dev', 'worker', 'demo'].includes(path[0] ?? ''));
    for (const { path, command } of all) {
      const names = command.registeredArguments.map((argument) => argument.name());
      const options = command.options.filter(({ mandatory }) => mandatory).map(({ long }) => `${long ?? ''}=nobody`);
      for (const [at, name] of names.entries()) {
        const args = [...path, ...options, '--', ...names.map((_, index) => (index === at ? '' : 'nobody'))];
        const { exitCode, stdout, stderr } = await batonInProcess(here, args);
        const said = { args, exitCode, stdout, isNamed: new RegExp(`^${name}: must not be empty`).test(stderr) };
        expect({ ...said, stderr }).toEqual({ args, exitCode: 2, stdout: '', isNamed: true, stderr });
      }
    }
  });

  test('rejects an empty value wherever it takes one', async () => {
    for (const one of commands()) {
      for (const option of one.command.options.filter(({ required }) => required)) {
        const { exitCode, stderr } = await batonInProcess(here, [...complete(one), `${option.long ?? ''}=`]);
        expect({ option: `${one.path.join(' ')} ${option.flags}`, exitCode, stderr }).toMatchObject({
          exitCode: 2,
          stderr: expect.stringContaining(option.long ?? '') as string,
        });
      }
    }
  });
});
