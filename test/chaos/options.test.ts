import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, typescriptHook } from '../support/paths';
import { faults } from './faults/all';
import { BadArgument, help, parseOptions } from './options';

describe('the arguments of npm run chaos', () => {
  const chaos = (...args: string[]) =>
    spawnSync(process.execPath, ['-r', typescriptHook, join(__dirname, 'main.ts'), ...args], { encoding: 'utf8' });

  test('choose a seed, rounds and faults, and have defaults', () => {
    const {
      seed,
      rounds,
      faults: chosen,
    } = parseOptions(['--seed', '7', '--faults', 'kill-worker, store-full']) as never;
    expect([seed, rounds]).toEqual([7, 10]);
    expect((chosen as { name: string }[]).map(({ name }) => name)).toEqual(['kill-worker', 'store-full']);
    expect(parseOptions([])).toMatchObject({ faults: [...faults.values()], only: undefined, keepGoing: false });
    expect(parseOptions(['--faults', 'none', '--only', '1,3'])).toMatchObject({ faults: [], only: [1, 3] });
  });

  test.each([
    [['--seed', 'x'], '--seed wants a whole number from 0 to 999999999, not "x".'],
    [['--rounds', '0'], '--rounds wants a whole number from 1'],
    [['--faults', 'kill-everyone'], '--faults: "kill-everyone" is not a fault. Use some of: kill-worker, '],
    [['--only', '1,'], '--only wants a whole number'],
    [['--sead', '1'], "Unknown option '--sead'"],
  ])('%j are refused with a sentence', (args, sentence) => {
    expect(() => parseOptions(args)).toThrow(BadArgument);
    expect(() => parseOptions(args)).toThrow(sentence);
  });

  test('end the program with exit code 2 if they are wrong, and with help and 0 if they ask for it', () => {
    const wrong = chaos('--rounds', 'many');
    expect([wrong.status, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('--rounds wants a whole number');
    const asked = chaos('--faults', 'help');
    expect([asked.status, asked.stderr]).toEqual([0, '']);
    expect(asked.stdout).toBe(help);
    const page = readFileSync(join(projectRoot, 'docs', 'chaos.md'), 'utf8');
    for (const name of faults.keys()) {
      expect(asked.stdout).toContain(`  ${name} `);
      expect(page).toContain(`| \`${name}\` `);
    }
  });
});
