import { Command } from 'commander';
import { parseRunInput, type RunInput } from '../../domain/run/input';
import { withConnection, type CliContext } from '../context';
import { followRun } from '../follow';
import { workflowPage } from '../links';
import { newRunId } from '../new-run-id';
import { addAgentOptions, agentSettings, type AgentOptions } from '../run-options';
import { startRun } from '../start-run';
import { workspaceRoot } from '../workspace/workspace-root';

interface RunOptions extends AgentOptions {
  readonly workspace?: string;
  readonly id?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

export function runCommand(context: CliContext): Command {
  const command = new Command('run')
    .description('start an agent that works towards a goal')
    .argument('<goal>', 'what the agent is to do')
    .option('-w, --workspace <dir>', 'folder whose copy the agent works on (default: none)');
  return addAgentOptions(command)
    .option('--id <id>', 'name of the run (default: made from the time); a run that exists already is attached to')
    .option('-f, --follow', 'show progress until the run ends, then print its answer')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((goal: string, options: RunOptions) => start(context, goal, options));
}

async function start(context: CliContext, goal: string, options: RunOptions): Promise<void> {
  const { terminal } = context;
  const input = await toInput(context, goal, options);
  // A store that can't be used is found now, not by the first step of a run that nobody can finish.
  await context.openStore();
  await withConnection(context, async ({ client, namespace, uiUrl }) => {
    const started = await startRun(client, context.settings().taskQueue, input);
    const page = uiUrl === undefined ? undefined : workflowPage(uiUrl, namespace, started.workflowId);
    if (!started.isNew) terminal.warn(`Run ${started.runId} exists already: attached to it, nothing started.`);
    if (page !== undefined) terminal.warn(`Web UI: ${page}`);
    if (options.follow === true) return followRun(context, client, started.runId, options.json ?? false);
    terminal.print(options.json === true ? JSON.stringify({ ...started, page: page ?? null }) : started.runId);
    terminal.warn(`Follow it with: baton show ${started.runId} --follow`);
  });
}

const examples = `
Examples:
  $ baton run "Summarise the README" --workspace . --follow
  $ baton run "List three risks of this design" --workspace docs --model claude-opus-5-5
  $ baton run "Review this project" -w . --budget-usd 2 --deadline 30m --hold
  $ id=$(baton run "Count the tests" --workspace .) && baton show $id
`;

/** Everything that can be wrong with the command line is found here, before anything is started. */
async function toInput(context: CliContext, goal: string, options: RunOptions): Promise<RunInput> {
  const root = options.workspace === undefined ? undefined : await workspaceRoot(options.workspace);
  return parseRunInput({
    runId: options.id ?? newRunId(),
    goal,
    ...(await agentSettings(context, options)),
    ...(root === undefined ? {} : { workspace: { root } }),
  });
}
