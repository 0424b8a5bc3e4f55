import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { formatBytes, formatDuration, plural } from '../../client/format';
import { mapWithLimit } from '../../domain/kernel';
import type { Store, StoredRun } from '../../domain/store';
import { readServerPlace } from '../../temporal-config/node/server-place';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import { ageMs } from '../options';
import { columns } from '../screen/table';
import { RunVerdicts, type Verdict } from './gc-verdict';

interface GcOptions {
  readonly olderThan?: number;
  readonly unverified?: boolean;
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
    .option(
      '--unverified',
      'also delete runs that were started on a server that is not connected or not recorded. Nothing checks whether they are still running there; if they are, they fail',
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
      report(
        context,
        await withConnection(context, ({ client }) => collect(client, store, selected, options)),
        options,
      );
    });
}

const examples = `
A run is deleted only if the server that it was started on reports that it has ended, with everything below it. So
connect to that server. A run that this server no longer has counts as ended once the namespace's retention period has
passed since its last write. Temporal's history is not deleted; the retention period applies to it.

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

interface KeptRun {
  readonly runId: string;
  readonly reason: string;
}

interface Outcome {
  /** Runs that were deleted or, without --yes, would be. */
  readonly deleted: readonly StoredRun[];
  readonly kept: readonly KeptRun[];
}

const concurrentRequests = 8;

async function collect(
  client: Client,
  store: Store,
  selected: readonly StoredRun[],
  { unverified = false, yes = false }: GcOptions,
): Promise<Outcome> {
  const verdicts = new RunVerdicts(client, store, await readServerPlace(client));
  const judged = await mapWithLimit(selected, concurrentRequests, async (run) => ({
    run,
    verdict: await verdicts.judge(run),
  }));
  if (!unverified) requireSomeVerified(judged.map(({ verdict }) => verdict));
  const isDeletable = ({ kind }: Verdict): boolean => kind === 'ended' || (unverified && kind === 'unverified');
  const deleted: StoredRun[] = [];
  const kept: KeptRun[] = [];
  for (const { run, verdict } of judged) {
    // A run may have been started under the same id since then, so the server is asked again just before the deletion.
    const confirm = async (): Promise<boolean> => isDeletable(await verdicts.judge(run));
    if (!isDeletable(verdict)) kept.push({ runId: run.runId, reason: reasonOf(verdict) });
    else if (!yes || (await store.deleteRun(run.runId, confirm))) deleted.push(run);
    else kept.push({ runId: run.runId, reason: 'it was started again, or another process is deleting it' });
  }
  return { deleted, kept };
}

/** Refuses to work with a server that can't judge any of the runs: most likely it is the wrong one. */
function requireSomeVerified(verdicts: readonly Verdict[]): void {
  const [first] = verdicts;
  if (first === undefined || !verdicts.every(({ kind }) => kind === 'unverified')) return;
  throw new CliError(
    exitCodes.failed,
    `Nothing was deleted: this server can't tell whether ${verdicts.length === 1 ? 'the run has' : `any of the ${verdicts.length} runs have`} ended. The first one: ${reasonOf(first)}.`,
    'Connect to the server that they were started on (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, BATON_STATE_DIR). If it no longer exists, delete them with --unverified.',
  );
}

function reasonOf(verdict: Verdict): string {
  return verdict.kind === 'ended' ? 'it has ended' : verdict.reason;
}

function report({ terminal }: CliContext, { deleted, kept }: Outcome, { yes, json }: GcOptions): void {
  if (json === true) {
    terminal.printJson({ deleted: yes === true, runs: deleted, kept });
    return;
  }
  for (const { runId, reason } of kept) terminal.note(`Kept ${runId}: ${reason}`);
  if (deleted.length === 0) {
    terminal.note('Nothing to delete.');
    return;
  }
  terminal.print(
    columns(
      deleted.map((run) => [
        run.runId,
        formatBytes(run.bytes),
        `last written ${formatDuration(Date.now() - run.lastWrittenAt)} ago`,
      ]),
    ),
  );
  const runs = plural(deleted.length, 'run');
  const total = formatBytes(deleted.reduce((sum, run) => sum + run.bytes, 0));
  terminal.note(yes === true ? `Deleted ${runs}, ${total}.` : `Would delete ${runs}, ${total}. Add --yes to delete.`);
}
