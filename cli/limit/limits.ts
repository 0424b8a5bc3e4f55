import { Command, InvalidArgumentError } from 'commander';
import { formatDuration } from '../../client/format';
import { type QueueLimit, readQueueLimit, setQueueLimit } from '../../client/limit/queue-limits';
import { readModelLimits } from '../../definitions/model/read-limits';
import { describeLimit, type ModelLimit, type ModelLimits, parseModelLimits } from '../../domain/limit';
import { InvalidSettingError } from '../../temporal-config/node/setup-error';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import { columns } from '../screen/table';

/** `baton limits`: shows and changes the rate limits of providers. */
export function limitsCommand(context: CliContext): Command {
  return new Command('limits')
    .description('show or change the rate limits of model providers')
    .addCommand(showCommand(context))
    .addCommand(setCommand(context))
    .addHelpText('after', examples);
}

const examples = `
Limits are configured for workers, in BATON_MODEL_LIMITS. "set" changes the requests per minute of all workers together,
at once and for runs in progress, until "set --reset". A worker never sends more than it is configured for.

Examples:
  $ BATON_MODEL_LIMITS='{"claude-*": {"requestsPerMinute": 50}}' baton worker
  $ baton limits show
  $ baton limits set 'claude-*' --requests-per-minute 20 --reason "shared with the batch job tonight"
  $ baton limits set 'claude-*' --reset
`;

function showCommand(context: CliContext): Command {
  return new Command('show')
    .description('show the limits, and what waits for them')
    .argument('[patterns...]', 'patterns of models (default: those of BATON_MODEL_LIMITS)')
    .option('--json', 'print JSON')
    .action(async (named: string[], { json = false }: { json?: boolean }) => {
      const configured = await configuredLimits(context);
      const patterns = named.length > 0 ? named : Object.keys(configured);
      if (patterns.length === 0 && !json) {
        context.terminal.print('No limits are configured: BATON_MODEL_LIMITS is not set here.');
        return;
      }
      const { taskQueue } = context.settings();
      const found = await withConnection(context, ({ client }) =>
        Promise.all(patterns.map((pattern) => readQueueLimit(client, taskQueue, pattern))),
      );
      const limits = found.map((limit) => ({ ...limit, configured: configured[limit.pattern] ?? null }));
      if (json) context.terminal.printJson(limits);
      else context.terminal.print(limits.map(limitText).join('\n\n'));
    });
}

interface SetOptions {
  readonly requestsPerMinute?: number;
  readonly reset?: boolean;
  readonly reason?: string;
}

function setCommand(context: CliContext): Command {
  return new Command('set')
    .description('change the requests per minute of all workers together')
    .argument('<pattern>', 'pattern of models, as configured for the workers')
    .option('--requests-per-minute <n>', 'new limit', positive)
    .option('--reset', 'return to what the workers are configured with')
    .option('--reason <text>', 'why, for others who look at the limit')
    .action(async (pattern: string, { requestsPerMinute, reset = false, reason }: SetOptions) => {
      parseModelLimits({ [pattern]: { concurrent: 1 } }, 'pattern');
      if ((requestsPerMinute === undefined) !== reset)
        throw new CliError(exitCodes.misused, 'Nothing to change.', 'Pass either --requests-per-minute or --reset.');
      const { taskQueue } = context.settings();
      const change = { requestsPerMinute: requestsPerMinute ?? null, reason };
      const after = await withConnection(context, async ({ client }) => {
        await setQueueLimit(client, taskQueue, pattern, change);
        return readQueueLimit(client, taskQueue, pattern);
      });
      context.terminal.print(limitText({ ...after, configured: null }));
      if (after.workers === 0)
        context.terminal.note(`No worker has a limit "${pattern}" on task queue "${taskQueue}" at the moment.`);
    });
}

function positive(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!(number > 0 && number <= 1_000_000)) throw new InvalidArgumentError('Must be a number greater than 0.');
  return number;
}

/** The limits that workers with the same environment as this command have. */
async function configuredLimits({ settings }: CliContext): Promise<ModelLimits> {
  const read = await readModelLimits(settings().modelLimits);
  if ('limits' in read) return read.limits;
  throw new InvalidSettingError('BATON_MODEL_LIMITS', read.problem, 'The format is described in docs/rate-limits.md.');
}

function limitText(limit: QueueLimit & { readonly configured: ModelLimit | null }): string {
  const { requestsPerMinute, setBy, reason, workers, waiting, waitedMs } = limit;
  const source =
    setBy === 'operator' ? `set by an operator${reason === null ? '' : `: ${reason}`}` : "the workers' setting";
  const oldest = waitedMs > 0 ? `, the oldest for ${formatDuration(waitedMs)}` : '';
  const rows = [
    ['limit', limit.pattern],
    ...(limit.configured === null ? [] : [['configured', describeLimit(limit.configured)]]),
    [
      'in force',
      requestsPerMinute === null ? 'none for requests' : `${requestsPerMinute} requests per minute (${source})`,
    ],
    ['workers', String(workers)],
    ['waiting', `${waiting}${oldest}`],
    ['task queue', limit.taskQueue],
  ];
  return columns(rows);
}
