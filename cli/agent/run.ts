import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeRun, outcomeOf, queryRunStatus } from '../../client/agent/outcome';
import { checkRunInput, type Root, startRoot } from '../../client/agent/start';
import { countWorkers } from '../../client/agent/workers';
import { readRootMemo, rootTitle } from '../../domain/agent';
import { type CliContext, CliError, exitCodes, type Terminal, withConnection, workflowPage } from '../context';
import { namingOptions, runOptions, type RunOptions, runSettingsFrom } from '../run-options';
import { checkNotify } from '../operator/notify-options';
import { followRun } from './follow';
import { rootFrom, rootOptions, type RootOptions } from './root-options';

/** `baton run`: starts a run. */
export function runCommand(context: CliContext): Command {
  const command = new Command('run')
    .description('start an agent that works toward a goal, or with a prompt or a skill of its own')
    .argument(
      '[goal]',
      'goal of the agent; a prompt gets it as its parameter "goal", a skill as that field of its input',
    );
  return runOptions(rootOptions(command))
    .addHelpText('after', examples)
    .action(async (goal: string | undefined, options: RunOptions & RootOptions) => {
      const work = await rootFrom(goal, options);
      const input = { ...(await runSettingsFrom(context, options)), ...work };
      const root = namingOptions(() => checkRunInput(input));
      await startAndFollow(context, options, root);
    });
}

const examples = `
Examples:
  $ baton run "Summarize the README" --workspace . --follow
  $ baton run "List three risks of this design" --workspace docs --model claude-opus-5-5
  $ baton run "Port the tests" --workspace . --budget-usd 5 --deadline 2h
  $ baton run --skill researcher --input goal="How does login work?" --workspace . --follow
  $ baton run --prompt acme/reviewer --param folder=src --workspace . --follow
  $ id=$(baton run "Count the tests" --workspace .) && baton show $id

--prompt: the worker has the prompts, and the agent has exactly the tools that the prompt's sections name. --skill: the
worker has the skills, of which baton skills list shows those of this folder; a field that is not a text is written as JSON.
`;

/** Starts a run or a relay, and prints its id or follows it. */
export async function startAndFollow(
  context: CliContext,
  options: Pick<RunOptions, 'follow' | 'json' | 'notify'>,
  root: Root,
): Promise<void> {
  const { terminal } = context;
  checkNotify(options);
  // Check the store now. Otherwise a store that can't be used would fail the first step of a run.
  await context.openStore();
  await withConnection(context, async ({ client, namespace, uiUrl }) => {
    const started = await startRoot(client, context.settings().taskQueue, root);
    const page = uiUrl === undefined ? undefined : workflowPage(uiUrl, namespace, started.workflowId);
    const hasWorker =
      !started.isNew || (await warnWithoutWorker(context.terminal, client, context.settings().taskQueue));
    if (!started.isNew) terminal.note(await attachedTo(client, root));
    if (page !== undefined) terminal.note(`Web UI: ${page}`);
    if (options.follow === true) return followRun(context, client, started.runId, options);
    if (hasWorker && isChecked(root)) await requireAccepted(client, started.runId);
    if (options.json === true) terminal.printJson({ ...started, page: page ?? null });
    else terminal.print(started.runId);
    terminal.note(`Follow it with: baton show ${started.runId} --follow`);
  });
}

/** Returns whether a worker is running, and warns if none is. */
export async function warnWithoutWorker(terminal: Terminal, client: Client, taskQueue: string): Promise<boolean> {
  if ((await countWorkers(client, taskQueue)) > 0) return true;
  terminal.note(`No worker is running on task queue "${taskQueue}", so the run waits. Start one with: baton worker`);
  return false;
}

/** Whether only a worker can tell that a root can be opened, because it has a prompt or a skill. */
function isChecked({ input: { prompt, skill } }: Root): boolean {
  return prompt !== undefined || skill !== undefined;
}

const verdictMs = 5_000;
const pollMs = 200;

/** Waits a moment until the run's prompt or skill is accepted. Throws why if it is not: a run id alone would mislead. */
async function requireAccepted(client: Client, runId: string): Promise<void> {
  const end = Date.now() + verdictMs;
  while (Date.now() < end) {
    const { status } = await describeRun(client, runId);
    if (status.name === 'RUNNING') {
      const snapshot = await queryRunStatus(client, runId);
      if (snapshot !== undefined && snapshot.prompt !== null) return;
      await sleep(pollMs);
      continue;
    }
    const outcome = await outcomeOf(client, runId);
    if (outcome.kind !== 'failed') return;
    throw new CliError(exitCodes.failed, `Run ${runId} failed. ${outcome.type}: ${outcome.message}`, outcome.remedy);
  }
}

/** Describes the run that already has this id. Throws if it is another one: attaching to it would only mislead. */
async function attachedTo(client: Client, { input: { runId }, memo }: Root): Promise<string> {
  const existing = await describeRun(client, runId);
  const status = existing.status.name.toLowerCase();
  const found = readRootMemo(existing.memo);
  const isSame = found.goal === undefined || rootTitle(found) === rootTitle(memo);
  if (isSame) return `Run ${runId} already exists (${status}). Attached to it; nothing was started.`;
  throw new CliError(
    exitCodes.misused,
    `Run ${runId} already exists (${status}). Its goal, prompt, skill or relay is another one: "${rootTitle(found)}". Nothing was started.`,
    `Pass another --id, or look at that run with: baton show ${runId}`,
  );
}
