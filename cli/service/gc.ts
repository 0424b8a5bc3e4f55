import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Command } from 'commander';
import { formatBytes, formatDuration, plural } from '../../client/format';
import { runWorkflowId } from '../../domain/kernel';
import type { Store, StoredRun } from '../../domain/store';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import { ageMs } from '../options';
import { columns } from '../table';

interface GcOptions {
  readonly olderThan?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `baton gc`: deletes the stored data of runs that have ended. */
export function gcCommand(context: CliContext): Command {
  return new Command('gc')
    .description(
      "delete runs' prompts, transcripts and outputs from the store; without --yes, only list what would be deleted",
    )
    .argument('[runs...]', 'ids of runs')
    .option(
      '--older-than <age>',
      'also select runs that were last written to longer ago than this, such as 12h or 30d',
      ageMs,
    )
    .option('--yes', 'delete the selected runs')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (ids: string[], options: GcOptions) => {
      if (ids.length === 0 && options.olderThan === undefined) {
        throw new CliError(
          exitCodes.misused,
          'No runs selected.',
          'Pass run ids or --older-than, for example: baton gc --older-than 30d',
        );
      }
      const store = await context.openStore();
      const selected = select(await store.listRuns(), ids, options.olderThan);
      const { open, closed } = await withConnection(context, ({ client }) => split(client, selected));
      if (options.yes === true) await deleteAll(store, closed);
      report(context, open, closed, options);
    });
}

const examples = `
A run that is still running is never deleted. Temporal's history is not deleted; the namespace's retention period
applies to it.

Examples:
  $ baton gc --older-than 30d            # list what would be deleted
  $ baton gc --older-than 30d --yes      # delete it
  $ baton gc 20261116-031522-k3f9q1 --yes
`;

function select(stored: readonly StoredRun[], ids: readonly string[], olderThan: number | undefined): StoredRun[] {
  const unknown = ids.filter((id) => !stored.some(({ runId }) => runId === id));
  if (unknown.length > 0) throw new CliError(exitCodes.failed, `The store has no data of: ${unknown.join(', ')}.`);
  const limit = olderThan === undefined ? undefined : Date.now() - olderThan;
  return stored.filter(
    ({ runId, lastWrittenAt }) => ids.includes(runId) || (limit !== undefined && lastWrittenAt < limit),
  );
}

/**
 * Separates runs that are still running, which need their data. A run that the server no longer has counts as ended.
 */
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
    terminal.printJson({ deleted, runs: closed, kept: open.map(({ runId }) => runId) });
    return;
  }
  for (const { runId } of open) terminal.note(`Kept (still running): ${runId}`);
  if (closed.length === 0) {
    terminal.note('Nothing to delete.');
    return;
  }
  terminal.print(
    columns(
      closed.map((run) => [
        run.runId,
        formatBytes(run.bytes),
        `last written ${formatDuration(Date.now() - run.lastWrittenAt)} ago`,
      ]),
    ),
  );
  const runs = plural(closed.length, 'run');
  const total = formatBytes(closed.reduce((sum, run) => sum + run.bytes, 0));
  terminal.note(deleted ? `Deleted ${runs}, ${total}.` : `Would delete ${runs}, ${total}. Add --yes to delete.`);
}

async function deleteAll(store: Store, runs: readonly StoredRun[]): Promise<void> {
  for (const { runId } of runs) await store.deleteRun(runId);
}
