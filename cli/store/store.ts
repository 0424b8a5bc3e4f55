import { Command } from 'commander';
import { formatBytes, plural } from '../../client/format';
import { mapWithLimit } from '../../domain/kernel';
import { BlobCorruptError, type Store } from '../../domain/store';
import type { CopiedRun } from '../../store/copy-run';
import { type CliContext, CliError, exitCodes } from '../context';

interface CopyOptions {
  readonly run?: readonly string[];
  readonly move?: boolean;
  readonly json?: boolean;
}

/** `baton store`: prepares stores and copies runs between them. */
export function storeCommand(context: CliContext): Command {
  return new Command('store')
    .description('prepare a store, and copy runs between stores')
    .addHelpText('after', storeHelp)
    .addCommand(migrateCommand(context))
    .addCommand(copyCommand(context));
}

const storeHelp = `
Examples:
  $ baton store migrate
  $ baton store copy file:.baton/state/store postgres://baton@db/baton
`;

function migrateCommand({ settings, terminal }: CliContext): Command {
  return new Command('migrate')
    .description('create or update the tables of the store in BATON_STORE')
    .option('--json', 'print JSON')
    .addHelpText('after', migrateHelp)
    .action(async ({ json }: { json?: boolean }) => {
      const { migrateStore } = await import('../../store/open-store.js');
      const { store } = settings();
      const migrated = await migrateStore(settings());
      if (json === true) terminal.printJson({ store: store.shown, ...migrated });
      else if (migrated === undefined) terminal.print(`${store.shown} has no tables; nothing to do.`);
      else if (migrated.from === migrated.to) terminal.print(`${store.shown}: tables have version ${migrated.to}.`);
      else terminal.print(`${store.shown}: tables changed from version ${migrated.from} to ${migrated.to}.`);
    });
}

const migrateHelp = `
A worker does this when it starts, unless BATON_STORE contains migrate=off. Then run it once before the workers of a new
version, as a user who may create tables.

Examples:
  $ BATON_STORE=postgres://admin@db/baton baton store migrate
`;

function copyCommand(context: CliContext): Command {
  return new Command('copy')
    .description('copy runs from one store to another, and compare every content with its hash')
    .argument('<from>', 'address of a store, as in BATON_STORE')
    .argument('<to>', 'address of another store; it is created if there is none')
    .option('--run <id...>', 'only these runs (default: all)')
    .option('--move', 'runs that have not ended continue at the destination, and no longer where they were')
    .option('--json', 'print JSON')
    .addHelpText('after', copyHelp)
    .action(async (from: string, to: string, options: CopyOptions) => {
      const { openStore } = await import('../../store/open-store.js');
      const { encryption } = context.settings();
      const open = (address: string): Promise<Store> => openStore({ store: { address }, encryption });
      const [source, target] = [await open(from), await open(to)];
      try {
        if (source.id === target.id) throw new CliError(exitCodes.misused, 'Both addresses are of the same store.');
        await copyAll(context, source, target, options);
      } finally {
        await source.close?.();
        await target.close?.();
      }
    });
}

const copyHelp = `
The data stays where it was, and what is at the destination already is not copied again, so the command can be repeated.
A copy can be read with BATON_STORE set to the destination. With keys in BATON_ENCRYPTION_KEYS, what is encrypted is read
with them, and everything that is written is encrypted.

A run that has not ended continues where it was. To let it continue with the copy: stop all workers, copy with --move, and
start the workers with BATON_STORE set to the destination. Workers of the old store then refuse the run (Store.Other).

A run with damaged data is named and left where it is. The others are copied, and the exit code is 1.

Examples:
  $ baton store copy file:.baton/state/store postgres://me@db/baton
  $ baton store copy file:.baton/state/store postgres://me@db/baton --move
  $ baton store copy postgres://me@db/baton file:/backup/store --run 20261116-031522-k3f9q1
`;

const runsAtATime = 4;

/** A run that was not copied, and which of its contents is damaged. */
interface DamagedRun {
  readonly runId: string;
  readonly message: string;
}

async function copyAll({ terminal }: CliContext, from: Store, to: Store, options: CopyOptions): Promise<void> {
  const { move = false, json } = options;
  const selected = await selectRuns(from, options.run);
  let done = 0;
  const outcomes = await mapWithLimit(selected, runsAtATime, async (runId) => {
    const outcome = await copyOne(from, to, runId, move);
    done += 1;
    const progress = `(${done} of ${selected.length})`;
    if ('message' in outcome)
      terminal.note(`Not ${move ? 'moved' : 'copied'}: ${runId} ${progress}. ${outcome.message}`);
    else terminal.note(`${move ? 'Moved' : 'Copied'} ${runId} ${progress}, ${formatBytes(outcome.bytes)}`);
    return outcome;
  });
  const damaged = outcomes.filter((outcome) => 'message' in outcome);
  const runs = outcomes.filter((outcome) => 'bytes' in outcome);
  if (json === true) terminal.printJson({ runs, damaged });
  else {
    const bytes = runs.reduce((sum, each) => sum + each.bytes, 0);
    terminal.print(`${plural(runs.length, 'run')} ${move ? 'moved' : 'copied'} and verified, ${formatBytes(bytes)}.`);
  }
  if (damaged.length > 0) throw damagedError(damaged);
}

async function selectRuns(from: Store, wanted?: readonly string[]): Promise<readonly string[]> {
  const stored = (await from.listRuns()).map(({ runId }) => runId);
  const unknown = (wanted ?? []).filter((id) => !stored.includes(id));
  if (unknown.length > 0) throw new CliError(exitCodes.failed, `The store has no data of: ${unknown.join(', ')}.`);
  return wanted ?? stored;
}

/** Copies or moves a run. Damaged data is a result, so that it does not keep the other runs from being copied. */
async function copyOne(
  from: Store,
  to: Store,
  runId: string,
  move: boolean,
): Promise<DamagedRun | ({ readonly runId: string } & CopiedRun)> {
  const { assertIntact, copyRun } = await import('../../store/copy-run.js');
  const { recordMove } = await import('../../store/run-moves.js');
  const source = from.forRun(runId);
  try {
    // A run that can't be copied must stay where it can continue.
    if (move) await assertIntact(source);
    if (move) await recordMove(source, { from: from.id, to: to.id });
    return { runId, ...(await copyRun(source, to.forRun(runId))) };
  } catch (error) {
    if (error instanceof BlobCorruptError) return { runId, message: error.message };
    throw error;
  }
}

function damagedError(damaged: readonly DamagedRun[]): CliError {
  const ids = damaged.map(({ runId }) => runId).join(', ');
  return new CliError(
    exitCodes.failed,
    `${plural(damaged.length, 'run')} could not be copied because of damaged data: ${ids}.`,
    'Restore the data from a backup and repeat the command. It does not copy the other runs again.',
  );
}
