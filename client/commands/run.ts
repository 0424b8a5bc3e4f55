import { Command } from 'commander';
import { parseRunInput, type RunInput } from '../../domain/run/input';
import type { CliContext } from '../context';
import { newRunId } from '../new-run-id';
import { addAgentOptions, agentSettings, type AgentOptions } from '../run-options';
import { startAndTell } from '../start-and-tell';
import { startRun } from '../start-run';
import { workspaceRoot } from '../workspace/workspace-root';

export interface RunOptions extends AgentOptions {
  readonly workspace?: string;
  readonly id?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

export function runCommand(context: CliContext): Command {
  const command = new Command('run')
    .description('start an agent that works towards a goal')
    .argument('<goal>', 'what the agent is to do');
  return addRunOptions(command)
    .addHelpText('after', examples)
    .action(async (goal: string, options: RunOptions) => {
      const input = await runInputFrom(context, goal, options);
      await startAndTell(context, options, (client, taskQueue) => startRun(client, taskQueue, input));
    });
}

/** All options of `run`, which are those of `relay` too. */
export function addRunOptions(command: Command): Command {
  command.option('-w, --workspace <dir>', 'folder whose copy the agent works on (default: none)');
  return addAgentOptions(command)
    .option('--id <id>', 'name of the run (default: made from the time); a run that exists already is attached to')
    .option('-f, --follow', 'show progress until the run ends, then print its answer')
    .option('--json', 'print JSON');
}

const examples = `
Examples:
  $ baton run "Summarise the README" --workspace . --follow
  $ baton run "List three risks of this design" --workspace docs --model claude-opus-5-5
  $ baton run "Review this project" -w . --budget-usd 2 --deadline 30m --hold
  $ id=$(baton run "Count the tests" --workspace .) && baton show $id
`;

/** Everything that can be wrong with the command line is found here, before anything is started. */
export async function runInputFrom(context: CliContext, goal: string, options: RunOptions): Promise<RunInput> {
  const root = options.workspace === undefined ? undefined : await workspaceRoot(options.workspace);
  return parseRunInput({
    runId: options.id ?? newRunId(),
    goal,
    ...(await agentSettings(context, options)),
    ...(root === undefined ? {} : { workspace: { root } }),
  });
}
