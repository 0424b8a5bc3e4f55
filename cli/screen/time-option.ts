import type { Command } from 'commander';

/** Option of commands that print times. */
export interface TimeOption {
  readonly utc?: boolean;
}

/** Adds the option of commands that print times. */
export function addTimeOption(command: Command): Command {
  return command.option('--utc', 'print times in UTC, as ISO 8601, instead of local and relative ones');
}
