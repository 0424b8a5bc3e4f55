import { type Command, InvalidArgumentError } from 'commander';
import { type AgentSettings, defaultLimits } from '../domain/agent';
import { defaultNotices } from '../domain/budget';
import { wholeNumber } from './options';

/** Options about what an agent is told while it works. */
export interface NoticeOptions {
  readonly maxRepeats: number;
  /** True for the default, false for none. */
  readonly notices?: readonly number[] | boolean;
}

/** Adds the options about what an agent is told while it works. */
export function addNoticeOptions(command: Command): Command {
  return command
    .option(
      '--max-repeats <n>',
      'how often an agent may make the same calls with the same results before it is told, then stopped; 0 for any number',
      wholeNumber,
      defaultLimits.maxRepeats,
    )
    .option(
      '--notices <shares>',
      `shares left of budget, turns and context window at which an agent is told (default: ${defaultNotices.join(',')})`,
      shares,
    )
    .option('--no-notices', 'agents are not told what is left');
}

/** Builds the setting from the options. */
export function noticesFrom({ notices = true }: NoticeOptions): Pick<AgentSettings, 'notices'> {
  if (notices === true) return {};
  return { notices: notices === false ? [] : [...notices] };
}

/** Parses shares between 0 and 1 such as `0.25,0.1`. */
function shares(value: string): readonly number[] {
  const parsed = value.split(',').map((share) => (share.trim() === '' ? Number.NaN : Number(share)));
  if (!parsed.every((share) => share > 0 && share < 1))
    throw new InvalidArgumentError('Must be numbers between 0 and 1, separated by commas, such as 0.25,0.1.');
  return parsed;
}
