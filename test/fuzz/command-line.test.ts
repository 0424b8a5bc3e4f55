import type { Command } from 'commander';
import type { Client } from '@temporalio/client';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../../cli/program';
import { ConnectionFailedError } from '../../temporal-config/node/setup-error';
import { batonInProcess, type Printed } from '../cli/support/in-process';
import { recordTerminal } from '../support/recorded-terminal';
import { expectNotQuadratic } from './support/growth';
import { fuzz, type Outcome } from './support/target';
import { hostileText } from './support/values';

/** Commands that start other programs, serve something, or write where they are told. */
const excluded = ['dev', 'demo', 'worker', 'ui', 'codec-server', 'init', 'doctor', 'mcp', 'skills', 'store', 'limits'];

interface KnownCommand {
  readonly name: string;
  readonly flags: readonly string[];
}

const words = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('r1', 'licenses-7', 'Do it.', '10', '5m', 'i1', 'high', 'last', '0.5', 'all'),
  },
  { weight: 2, arbitrary: hostileText },
);

describe('arguments of the command line', () => {
  let folder = '';
  const commands: KnownCommand[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'baton-fuzz-'));
    const { terminal } = recordTerminal();
    const program = await createProgram({ terminal } as Parameters<typeof createProgram>[0]);
    commands.push(...program.commands.filter((one) => !excluded.includes(one.name())).map(known));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const known = (command: Command): KnownCommand => ({
    name: command.name(),
    flags: command.options.flatMap(({ long }) => (long === undefined || /out|file|root/.test(long) ? [] : [long])),
  });

  const unreachable = new ConnectionFailedError('No server is running.', 'Start one with: baton dev');
  const someArguments = fc
    .tuple(
      fc.nat(),
      fc.array(words, { maxLength: 2 }),
      fc.array(fc.tuple(fc.nat(), words, fc.nat(4)), { maxLength: 2 }),
    )
    .map(([which, positional, options]) => ({ which, positional, options }));

  function baton(args: readonly string[]): Promise<Printed> {
    const env = { BATON_STATE_DIR: join(folder, 'state') };
    return batonInProcess({ client: {} as Client, folder, env, unreachable }, args);
  }

  async function run(args: readonly string[]): Promise<Outcome> {
    const ended = await baton(args);
    expect([0, 1, 2, 3]).toContain(ended.exitCode);
    if (/failed unexpectedly|TypeError|RangeError/.test(ended.stderr)) throw new Error(ended.stderr);
    expect(ended.stderr.length).toBeLessThan(100_000);
    // A command that needs the server has accepted its arguments.
    if (ended.exitCode === 0 || ended.exitCode === 3) return 'accepted';
    expect(ended.stderr.length).toBeGreaterThan(0);
    return 'refused';
  }

  fuzz({
    name: 'arguments of the command line',
    input: someArguments,
    run({ which, positional, options }) {
      const { name, flags } = commands[which % commands.length] ?? { name: 'list', flags: [] };
      const named = options.flatMap(([at, value, kind]) => {
        const flag = flags[at % Math.max(1, flags.length)] ?? '--json';
        return kind === 0 ? [flag] : kind === 1 ? [value] : kind === 2 ? [`${flag}=${value}`] : [flag, value];
      });
      return run([name, ...positional, ...named]);
    },
    shares: { accepted: 0.1, refused: 0.2 },
    cases: 300,
  });

  test.each<[string, (size: number) => string[]]>([
    ['a long goal', (size) => ['run', 'x '.repeat(size)]],
    ['a long id', (size) => ['show', 'x/'.repeat(size)]],
    ['a long unknown command', (size) => ['x'.repeat(size)]],
    ['many words', (size) => ['show', ...Array.from({ length: size / 10 }, (_, n) => `w${n}`)]],
    ['many unknown options', (size) => ['list', ...Array.from({ length: size / 10 }, (_, n) => `--o${n}`)]],
    ['many equal options', (size) => ['run', 'x', ...Array.from({ length: size / 10 }, () => '--skills=a')]],
  ])('with %s take no time that grows with the square of it', async (_, argsOf) => {
    await expectNotQuadratic(20_000, (size) => {
      const args = argsOf(size);
      return () => baton(args);
    });
  });
});
