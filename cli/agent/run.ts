import { Command } from 'commander';
import type { CliContext } from '../context-merging';
import { runInputFrom, runOptions, type RunOptions } from '../run-options';
import { startAndFollow } from './start-and-tell';
import { startRun } from '../../client/agent/start';

/** `baton run`: starts a run. */
export function runCommand(context: CliContext): Command {
  const command = new Command('run')
    .description('start an agent that works toward a goal')
    .argument('<goal>', 'goal of the agent');
  return runOptions(command)
    .addHelpText('after', examples)
    .action(async (goal: string, options: RunOptions) => {
      const input = await runInputFrom(context, goal, options);
      await startAndFollow(context, options, (client, taskQueue) => startRun(client, taskQueue, input));
    });
}

const examples = `
Examples:
  $ baton run "Summarize the README" --workspace . --follow
  $ baton run "List three risks of this design" --workspace docs --model claude-opus-5-5
  $ baton run "Port the tests" --workspace . --budget-usd 5 --deadline 2h
  $ id=$(baton run "Count the tests" --workspace .) && baton show $id
`;
