import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { Command, InvalidArgumentError } from 'commander';
import { runWorkflowId } from '../../domain/ids';
import type { Store, StoredRun } from '../../domain/store/store';
import { CliError, exitCodes } from '../cli';
import { withConnection, type CliContext } from '../context';
import { bytes, columns, duration } from '../format';

interface GcOptions {
  readonly olderThan?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function gcCommand(context: CliContext): Command {
  return new Command('gc')
    .description(
      "delete runs' prompts, transcripts and outputs from the store; without --yes only says what it would delete",
    )
    .argument('[runs...]', 'ids of runs')
    .option('--older-than <age>', 'all runs not written to for this long: 12h, 30d', parseAge)
    .option('--yes', 'really delete')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (ids: string[], options: GcOptions) => {
      if (ids.length === 0 && options.olderThan === undefined) {
        throw new CliError(
          exitCodes.misused,
          'Nothing chosen.',
          'Name runs, or use --older-than, for example: baton gc --older-than 30d',
        );
      }
      const store = await context.openStore();
      const chosen = choose(await store.listRuns(), ids, options.olderThan);
      const { open, closed } = await withConnection(context, ({ client }) => split(client, chosen));
      if (options.yes === true) await deleteAll(store, closed);
      report(context, open, closed, options);
    });
}

const examples = `
A run that has not ended is never deleted. Temporal's own history is not touched: its namespace's retention rules that.

Examples:
  $ baton gc --older-than 30d            # what would go
  $ baton gc --older-than 30d --yes      # do it
  $ baton gc 20261116-031522-k3f9q1 --yes
`;

function parseAge(value: string): number {
  const match = /^(\d+)([mhd])$/.exec(value);
  if (match === null) throw new InvalidArgumentError('Give a number with m, h or d: 90m, 12h, 30d.');
  const unit = { m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 'm' | 'h' | 'd'];
  return Number(match[1]) * unit;
}

function choose(stored: readonly StoredRun[], ids: readonly string[], olderThan: number | undefined): StoredRun[] {
  const unknown = ids.filter((id) => !stored.some(({ runId }) => runId === id));
  if (unknown.length > 0) throw new CliError(exitCodes.failed, `Not in the store: ${unknown.join(', ')}.`);
  const limit = olderThan === undefined ? undefined : Date.now() - olderThan;
  return stored.filter(
    ({ runId, lastWrittenAt }) => ids.includes(runId) || (limit !== undefined && lastWrittenAt < limit),
  );
}

/** What has not ended still needs its data; what the server has forgotten has ended. */
async function split(client: Client, runs: readonly StoredRun[]): Promise<{ open: StoredRun[]; closed: StoredRun[] }> {
  const open: StoredRun[] = [];
  const closed: StoredRun[] = [];
  for (const run of runs) ((await isOpen(client, run.runId)) ? open : closed).push(run);
  return { open, closed };
}

async function isOpen(client: Client, runId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(runWorkflowId(runId)).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

function report(
  { terminal }: CliContext,
  open: readonly StoredRun[],
  closed: readonly StoredRun[],
  { yes, json }: GcOptions,
): void {
  const deleted = yes === true;
  if (json === true) {
    terminal.print(JSON.stringify({ deleted, runs: closed, kept: open.map(({ runId }) => runId) }));
    return;
  }
  for (const { runId } of open) terminal.warn(`Kept, since it has not ended: ${runId}`);
  if (closed.length === 0) {
    terminal.warn('Nothing to delete.');
    return;
  }
  terminal.print(
    columns(
      closed.map((run) => [
        run.runId,
        bytes(run.bytes),
        `last written ${duration(Date.now() - run.lastWrittenAt)} ago`,
      ]),
    ),
  );
  const runs = closed.length === 1 ? '1 run' : `${closed.length} runs`;
  const total = bytes(closed.reduce((sum, run) => sum + run.bytes, 0));
  terminal.warn(deleted ? `Deleted ${runs}, ${total}.` : `Would delete ${runs}, ${total}. Add --yes to do it.`);
}

async function deleteAll(store: Store, runs: readonly StoredRun[]): Promise<void> {
  for (const { runId } of runs) await store.deleteRun(runId);
}
