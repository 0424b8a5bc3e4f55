import { z } from 'zod';
import { InvalidInputError } from '../domain/kernel';
import { type RunStore, type Store, type StoreLocation, WrongStoreError } from '../domain/store';

/** One journal entry for each time that a run was moved, numbered from 1, so that a run can also come back. */
const keyOf = (number: number): string => `${moveKind}/${number}`;
const moveKind = 'moved';

const moveSchema = z.object({ from: z.string(), to: z.string() });
type Move = Readonly<z.infer<typeof moveSchema>>;

/** Whether a journal entry says where a run went. A copy writes it last: from then on the run may continue there. */
export function isMove(key: string): boolean {
  return key.startsWith(`${moveKind}/`);
}

/**
 * Records in the store of a run that it continues in another one. From then on workers with this store refuse it, so that
 * no two of them work on different copies. A repetition changes nothing.
 */
export async function recordMove(run: RunStore, move: Move): Promise<void> {
  const { last, count } = await readMoves(run);
  if (last?.from === move.from && last.to === move.to) return;
  if (last !== undefined && last.to !== move.from) throw movedElsewhere(run.runId, last.to);
  const bytes = await run.putIfAbsent(keyOf(count + 1), Buffer.from(JSON.stringify(move)));
  const { to } = moveSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  if (to !== move.to) throw movedElsewhere(run.runId, to);
}

/** Throws unless this is the store in which a run is to be continued: the one it was started with, or was moved to. */
export async function assertHoldsRun(store: Store, { runId, storeId }: StoreLocation): Promise<void> {
  const { last } = await readMoves(store.forRun(runId));
  const home = last?.to ?? storeId;
  if (home !== store.id) throw new WrongStoreError(home, store.id);
}

/** Reads the moves of a run. */
async function readMoves(run: RunStore): Promise<{ readonly last: Move | undefined; readonly count: number }> {
  for (let count = 0, last: Move | undefined; ; count += 1) {
    const bytes = await run.find(keyOf(count + 1));
    if (bytes === undefined) return { last, count };
    last = moveSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  }
}

function movedElsewhere(runId: string, to: string): InvalidInputError {
  const remedy = `Move it from the store with the id ${to}.`;
  return new InvalidInputError('runId', `the run "${runId}" was moved to another store`, remedy);
}
