import { lstat, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { defaultLimits } from '../../domain/agent/settings';
import { InvalidInputError } from '../../domain/errors';
import { chooseModel } from '../../domain/model/known-models';
import { parseRunInput, type RunInput } from '../../domain/run/input';
import type { Settings } from '../../temporal-config/node/settings';
import { withConnection, type CliContext } from '../context';
import { followRun } from '../follow';
import { workflowPage } from '../links';
import { newRunId } from '../new-run-id';
import { positiveInteger, wholeNumber, zeroToOne } from '../options';
import { startRun } from '../start-run';

interface RunOptions {
  readonly workspace?: string;
  readonly model?: string;
  readonly maxTurns: number;
  readonly maxDepth: number;
  readonly maxChildren: number;
  readonly maxParallel: number;
  readonly maxTokens?: number;
  readonly window?: number;
  readonly temperature?: number;
  readonly id?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

export function runCommand(context: CliContext): Command {
  return new Command('run')
    .description('start an agent that works towards a goal')
    .argument('<goal>', 'what the agent is to do')
    .option('-w, --workspace <dir>', 'folder whose copy the agent works on (default: none)')
    .option('-m, --model <name>', 'model to ask (default: $BATON_MODEL, or claude-sonnet-5-5)')
    .option('--max-turns <n>', 'give up after this many model calls', positiveInteger, defaultLimits.maxTurns)
    .option(
      '--max-depth <n>',
      'levels of delegation below the agent; 0 forbids delegating',
      wholeNumber,
      defaultLimits.maxDepth,
    )
    .option('--max-children <n>', 'delegations that one agent may make', wholeNumber, defaultLimits.maxChildren)
    .option(
      '--max-parallel <n>',
      'delegations of one agent that run at the same time',
      positiveInteger,
      defaultLimits.maxParallel,
    )
    .option('--max-tokens <n>', 'output tokens of one reply at most', positiveInteger)
    .option('--window <n>', "tokens of the model's context window, for models that Baton doesn't know", positiveInteger)
    .option('--temperature <t>', 'sampling temperature, 0 to 1', zeroToOne)
    .option('--id <id>', 'name of the run (default: made from the time); a run that exists already is attached to')
    .option('-f, --follow', 'show progress until the run ends, then print its answer')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((goal: string, options: RunOptions) => start(context, goal, options));
}

async function start(context: CliContext, goal: string, options: RunOptions): Promise<void> {
  const { terminal } = context;
  const input = await toInput(goal, options, context.settings());
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
  $ id=$(baton run "Count the tests" --workspace .) && baton show $id
`;

/** Everything that can be wrong with the command line is found here, before anything is started. */
async function toInput(goal: string, options: RunOptions, settings: Settings): Promise<RunInput> {
  const root = options.workspace === undefined ? undefined : await workspaceRoot(options.workspace);
  return parseRunInput({
    runId: options.id ?? newRunId(),
    goal,
    model: chooseModel({
      name: options.model ?? settings.model,
      maxTokens: options.maxTokens ?? settings.maxTokens,
      window: options.window ?? settings.window,
      temperature: options.temperature,
    }),
    ...(root === undefined ? {} : { workspace: { root } }),
    limits: {
      maxTurns: options.maxTurns,
      maxDepth: options.maxDepth,
      maxChildren: options.maxChildren,
      maxParallel: options.maxParallel,
    },
  });
}

async function workspaceRoot(given: string): Promise<string> {
  if (given.trim() === '') throw new InvalidInputError('--workspace', 'it is empty', 'Name a folder, or leave it out.');
  const path = resolve(given);
  const link = await lstat(path).catch(() => undefined);
  if (link === undefined)
    throw new InvalidInputError('--workspace', `there is no folder "${given}"`, 'Check the path.');
  if (link.isSymbolicLink()) {
    // What a link points to may change while the run goes on, and may not be what its name says.
    const target = await realpath(path).catch(() => 'nothing');
    throw new InvalidInputError('--workspace', `"${given}" is a link to ${target}`, 'Name the folder itself.');
  }
  if (!(await stat(path)).isDirectory())
    throw new InvalidInputError('--workspace', `"${given}" is not a folder`, 'Name a folder.');
  return realpath(path);
}
