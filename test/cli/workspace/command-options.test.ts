import { Command } from 'commander';
import { addCommandOptions, commandsFrom } from '../../../cli/command-options';

const granted = (...args: string[]): unknown => {
  const command = addCommandOptions(new Command());
  command.parse(args, { from: 'user' });
  return commandsFrom(command.opts());
};

test('commands are granted only by the options that say so', () => {
  expect(granted()).toBeUndefined();
  expect(granted('--commands')).toEqual({});
  expect(granted('--commands-network')).toEqual({ network: true });
  expect(granted('--commands', '--commands-env', 'A', '--commands-env', 'B', '--safe-command', 'npm test')).toEqual({
    env: ['A', 'B'],
    safeToRepeat: ['npm test'],
  });
});

test('details without a grant are refused', () => {
  expect(() => granted('--safe-command', 'npm test')).toThrow(
    '--safe-command: commands are not granted. Add --commands.',
  );
  expect(() => granted('--commands-env', 'A')).toThrow('--commands-env: commands are not granted. Add --commands.');
});
