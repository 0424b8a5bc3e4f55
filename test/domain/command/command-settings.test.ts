import fc from 'fast-check';
import { isSafeToRepeat, narrowCommands } from '../../../domain/command';
import { commandSettingsSchema, matchesCommand } from '../../../domain/command/command-settings';

describe('commands that are safe to repeat', () => {
  test.each([
    ['npm test', 'npm test', true],
    ['npm test', '  npm test ', true],
    ['npm test', 'npm test --watch', false],
    ['npm test', 'npm test && git push', false],
    ['npx jest *', 'npx jest', true],
    ['npx jest *', 'npx jest --ci test/a.test.ts', true],
    ['npx jest *', 'npx jest-runner', false],
    ['npx jest *', 'npx jest; rm -rf .', false],
    ['npx jest *', 'npx jest $(git push)', false],
    ['npx jest *', 'npx jest\ngit push', false],
    ['npx jest *', 'npx jest > src/a.ts', false],
  ])('%j and %j: %s', (pattern, command, expected) => {
    expect(matchesCommand(pattern, command)).toBe(expected);
    expect(isSafeToRepeat({ safeToRepeat: [pattern] }, JSON.stringify({ command }))).toBe(expected);
  });

  test('a command with a shell operator never matches a pattern with arguments', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom(';', '&', '|', '<', '>', '`', '$', '(', ')', '{', '}', '\\', '\n'),
        fc.string(),
        (before, operator, after) => {
          expect(matchesCommand('npm test *', `npm test ${before}${operator}x${after}`)).toBe(false);
        },
      ),
    );
  });

  test('whatever the input of a call is, it is not safe unless it names such a command', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (input) => {
        expect(isSafeToRepeat({ safeToRepeat: ['npm test'] }, input)).toBe(false);
      }),
    );
    expect(isSafeToRepeat({}, '{"command":"npm test"}')).toBe(false);
  });
});

describe('what a run and a skill grant together', () => {
  test('a skill grants what the run says nothing about', () => {
    expect(narrowCommands(undefined, { network: true, env: ['A'] })).toEqual({ network: true, env: ['A'] });
  });

  test('a skill can neither get network access nor more time if the run does not allow it', () => {
    expect(narrowCommands({ maxSeconds: 60 }, { network: true, maxSeconds: 600 })).toEqual({ maxSeconds: 60 });
    expect(narrowCommands({ network: true }, {})).toEqual({});
    expect(
      narrowCommands(
        { network: true, env: ['A'], safeToRepeat: ['npm test'] },
        { network: true, env: ['A', 'B'], safeToRepeat: ['npm run lint'], maxSeconds: 5 },
      ),
    ).toEqual({ network: true, env: ['A', 'B'], safeToRepeat: ['npm test', 'npm run lint'], maxSeconds: 5 });
  });

  test.each([{ env: ['A=B'] }, { env: [''] }, { maxSeconds: 0 }, { maxSeconds: 3_601 }, { shell: 'zsh' }])(
    '%j is not a valid grant',
    (value) => {
      expect(commandSettingsSchema.safeParse(value).success).toBe(false);
    },
  );
});
