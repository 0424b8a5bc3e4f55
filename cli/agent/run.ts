import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { describeRun } from '../../client/agent/outcome';
import { checkRunInput, type Root, startRoot } from '../../client/agent/start';
import { countWorkers } from '../../client/agent/workers';
import { headline } from '../../client/format';
import { readRootMemo } from '../../domain/agent';
import { type CliContext, CliError, exitCodes, withConnection, workflowPage } from '../context';
import { namingOptions, runInputFrom, runOptions, type RunOptions } from '../run-options';
import { followRun } from './follow';

/** `baton run`: starts a run. */
export function runCommand(context: CliContext): Command {
  const command = new Command('run')
    .description('start an agent that works toward a goal')
    .argument('<goal>', 'goal of the agent');
  return runOptions(command)
    .addHelpText('after', examples)
    .action(async (goal: string, options: RunOptions) => {
      const input = await runInputFrom(context, goal, options);
      const root = namingOptions(() => checkRunInput(input));
      await startAndFollow(context, options, root);
    });
}

const examples = `
Examples:
  $ baton run "Summarize the README" --workspace . --follow
  $ baton run "List three risks of this design" --workspace docs --model claude-opus-5-5
  $ baton run "Port the tests" --workspace . --budget-usd 5 --deadline 2h
  $ id=$(baton run "Count the tests" --workspace .) && baton show $id
`;

/** Starts a run or a relay, and prints its id or follows it. */
export async function startAndFollow(
  context: CliContext,
  options: Pick<RunOptions, 'follow' | 'json'>,
  root: Root,
): Promise<void> {
  const { terminal } = context;
  // Check the store now. Otherwise a store that can't be used would fail the first step of a run.
  await context.openStore();
  await withConnection(context, async ({ client, namespace, uiUrl }) => {
    const started = await startRoot(client, context.settings().taskQueue, root);
    const page = uiUrl === undefined ? undefined : workflowPage(uiUrl, namespace, started.workflowId);
    if (started.isNew) await warnWithoutWorker(context, client);
    else terminal.note(await attachedTo(client, root));
    if (page !== undefined) terminal.note(`Web UI: ${page}`);
    if (options.follow === true) return followRun(context, client, started.runId, options.json ?? false);
    if (options.json === true) terminal.printJson({ ...started, page: page ?? null });
    else terminal.print(started.runId);
    terminal.note(`Follow it with: baton show ${started.runId} --follow`);
  });
}

async function warnWithoutWorker({ terminal, settings }: CliContext, client: Client): Promise<void> {
  const { taskQueue } = settings();
  if ((await countWorkers(client, taskQueue)) > 0) return;
  terminal.note(`No worker is running on task queue "${taskQueue}", so the run waits. Start one with: baton worker`);
}

/** Describes the run that already has this id. Throws if it is another one: attaching to it would only mislead. */
async function attachedTo(client: Client, { input: { runId, goal }, memo }: Root): Promise<string> {
  const existing = await describeRun(client, runId);
  const status = existing.status.name.toLowerCase();
  const { goal: existingGoal, relay } = readRootMemo(existing.memo);
  const isSame = existingGoal === undefined || (existingGoal === headline(goal, 200) && relay === memo?.relay);
  if (isSame) return `Run ${runId} already exists (${status}). Attached to it; nothing was started.`;
  throw new CliError(
    exitCodes.misused,
    `Run ${runId} already exists (${status}). Its goal or its relay is another one: "${existingGoal}". Nothing was started.`,
    `Pass another --id, or look at that run with: baton show ${runId}`,
  );
}
