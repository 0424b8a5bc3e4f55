import type { Command } from 'commander';
import type { AgentSettings } from '../domain/agent';
import { InvalidInputError } from '../domain/kernel';
import { collectNames } from './options';

/** Options that grant commands to the agents of a run. */
export interface CommandOptions {
  readonly commands?: boolean;
  readonly commandsNetwork?: boolean;
  readonly commandsEnv?: readonly string[];
  readonly safeCommand?: readonly string[];
}

/** Adds the options that grant commands to the agents of a run. */
export function addCommandOptions(command: Command): Command {
  return command
    .option('--commands', 'let agents run commands in a sandbox of the worker (docs/commands.md)')
    .option('--commands-network', 'let these commands use the network; implies --commands')
    .option('--commands-env <name>', 'let these commands see this variable of the worker; repeatable', collectNames)
    .option(
      '--safe-command <command>',
      'a command that may run again if its worker dies, such as "npm test"; repeatable',
      collectNames,
    );
}

/** The commands that the options grant; undefined if none. */
export function commandsFrom({
  commands,
  commandsNetwork,
  commandsEnv,
  safeCommand,
}: CommandOptions): AgentSettings['commands'] {
  if (commands !== true && commandsNetwork !== true) {
    const alone =
      commandsEnv !== undefined ? '--commands-env' : safeCommand !== undefined ? '--safe-command' : undefined;
    if (alone === undefined) return undefined;
    throw new InvalidInputError(alone, 'commands are not granted', 'Add --commands.');
  }
  return {
    ...(commandsNetwork === true ? { network: true } : {}),
    ...(commandsEnv === undefined ? {} : { env: [...commandsEnv] }),
    ...(safeCommand === undefined ? {} : { safeToRepeat: [...safeCommand] }),
  };
}
