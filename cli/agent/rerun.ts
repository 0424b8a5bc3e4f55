import { Command, InvalidArgumentError } from 'commander';
import { describeRun } from '../../client/agent/outcome';
import { rerun } from '../../client/agent/rerun';
import { newRunId } from '../../client/baton';
import { InvalidInputError } from '../../domain/kernel';
import { type CliContext, withConnection, workflowPage } from '../context';
import { addNotifyOption, checkNotify, type NotifyOption } from '../operator/notify-options';
import { positiveInteger } from '../options';
import { followRun } from './follow';
import { warnWithoutWorker } from './run';

interface Options extends NotifyOption {
  readonly fromTurn?: number | 'last';
  readonly maxTurns?: number;
  readonly model?: string;
  readonly id?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** `baton rerun`: starts a run again, from the beginning or from one of its turns. */
export function rerunCommand(context: CliContext): Command {
  const command = new Command('rerun')
    .description('start a run again with the same goal and settings, or continue a copy of it from one of its turns')
    .argument('<run>', 'id of the run')
    .option('--from-turn <n>', 'turn to ask the model for first, or "last"; the turns before it are kept', turnFrom)
    .option(
      '--max-turns <n>',
      'maximum model calls of one agent, kept turns included (default: as before)',
      positiveInteger,
    )
    .option('-m, --model <name>', 'another model (default: the same)')
    .option('--id <id>', 'id of the new run (default: made from the time)')
    .option('-f, --follow', 'show progress until the run ends, then print its answer');
  return addNotifyOption(command)
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((run: string, options: Options) => startAgain(context, run, options));
}

const examples = `
Without --from-turn everything begins anew: the folder is imported again, and prompts, skills and tools are those that the
worker has now. With it, the new run has the conversation, the session and the files that the run had before that turn; no
model is asked and no tool is run for what came before, and delegations keep their results. "last" is the turn that a failed
run could not finish, or the last turn of a run that has an answer. What the run has spent does not count towards the new
run's budget. Decisions of operators are not taken over.

Examples:
  $ baton rerun licenses-7 --follow
  $ baton rerun licenses-7 --model claude-opus-5-5 --id licenses-8 && baton compare licenses-7 licenses-8
  $ baton rerun licenses-7 --from-turn last --max-turns 200      # it had used up its turns
  $ baton rerun licenses-7 --from-turn 4 --follow
`;

function turnFrom(value: string): number | 'last' {
  if (value === 'last') return value;
  try {
    return positiveInteger(value);
  } catch {
    throw new InvalidArgumentError('Must be the number of a turn, or "last".');
  }
}

async function startAgain(
  context: CliContext,
  run: string,
  { follow, json = false, notify, ...options }: Options,
): Promise<void> {
  const { terminal } = context;
  const { id, model, ...changes } = options;
  checkNotify({ follow, notify });
  const store = await context.openStore();
  await withConnection(context, async ({ client, namespace, uiUrl }) => {
    const started = await rerun(client, context.settings().taskQueue, run, {
      ...changes,
      newId: id ?? newRunId(),
      ...(model === undefined ? {} : { model: { name: model } }),
      store,
    }).catch((error: unknown) => {
      throw namingOptions(error);
    });
    // The queue of the first run, which may differ from the one in the settings.
    if (started.isNew) await warnWithoutWorker(terminal, client, (await describeRun(client, started.runId)).taskQueue);
    const page = uiUrl === undefined ? undefined : workflowPage(uiUrl, namespace, started.workflowId);
    if (!started.isNew) terminal.note(`Run ${started.runId} already exists. Attached to it; nothing was started.`);
    if (page !== undefined) terminal.note(`Web UI: ${page}`);
    if (follow === true) return followRun(context, client, started.runId, { json, notify });
    if (json) terminal.printJson({ ...started, page: page ?? null });
    else terminal.print(started.runId);
    terminal.note(`Follow it with: baton show ${started.runId} --follow`);
    terminal.note(`Compare them when it has ended: baton compare ${run} ${started.runId}`);
  });
}

const optionNames: Readonly<Record<string, string>> = {
  fromTurn: '--from-turn',
  maxTurns: '--max-turns',
  model: '--model',
};

/** Users of the command line know options, not fields. */
function namingOptions(error: unknown): unknown {
  if (!(error instanceof InvalidInputError) || !Object.hasOwn(optionNames, error.field)) return error;
  return new InvalidInputError(optionNames[error.field] ?? error.field, error.reason, error.remedy);
}
