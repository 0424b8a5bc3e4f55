import type { StoredRun } from '../../domain/store';
import { runName } from '../run-name';
import type { Database, Row } from './database';
import { markInterval } from './writes';

const runsAtATime = 1_000;
const rowsAtATime = 1_000;

/** An answer that comes later than this does not count: writers might no longer heed the mark. */
const confirmWithinMs = 5 * 60 * 1000;

/** Tables with rows of runs. Pieces are large, so fewer of them are deleted at a time. */
const tables = [
  ['value', rowsAtATime],
  ['entry', rowsAtATime],
  ['blob', rowsAtATime],
  ['piece', 50],
] as const;

/** Lists every run with its size, page by page. */
export async function* runPages(database: Database): AsyncGenerator<readonly (StoredRun & { readonly row: string })[]> {
  for (let after = '0'; ;) {
    const rows = await database.run(
      `SELECT r.id, r.run_id, b.files + e.files AS files, b.bytes + e.bytes AS bytes,
         floor(extract(epoch FROM greatest(r.created_at, b.last, e.last)) * 1000) AS last
       FROM (SELECT * FROM @.run WHERE name IS NOT NULL AND id > $1 ORDER BY id LIMIT ${runsAtATime}) r,
       LATERAL (SELECT count(*) AS files, coalesce(sum(bytes), 0) AS bytes, max(written_at) AS last
         FROM @.blob WHERE run = r.id) b,
       LATERAL (SELECT count(*) AS files, coalesce(sum(octet_length(content)), 0) AS bytes, max(written_at) AS last
         FROM @.entry WHERE run = r.id) e
       ORDER BY r.id`,
      [after],
    );
    if (rows.length > 0) yield rows.map(toStoredRun);
    if (rows.length < runsAtATime) return;
    after = String(rows.at(-1)?.['id']);
  }
}

function toStoredRun(row: Row): StoredRun & { readonly row: string } {
  return {
    row: String(row['id']),
    runId: (row['run_id'] as Buffer).toString('utf8'),
    bytes: Number(row['bytes']),
    files: Number(row['files']),
    lastWrittenAt: Number(row['last']),
  };
}

/**
 * Takes a run out of the store, if `confirm` agrees while the run can't be written to. Its rows remain, without a name,
 * until `removeBuried`, so a crash in between may leave garbage but never half a run. Returns whether there was a run and
 * it is gone.
 */
export async function buryRun(database: Database, runId: string, confirm?: () => Promise<boolean>): Promise<boolean> {
  const name = runName(runId);
  if (confirm !== undefined && !(await confirmed(database, name, confirm))) return false;
  const gone = await database.run('UPDATE @.run SET name = NULL, deleting_at = now() WHERE name = $1 RETURNING id', [
    name,
  ]);
  return gone.length > 0;
}

/** Marks the run, asks for confirmation, and removes the mark unless it was given in time. */
async function confirmed(database: Database, name: string, confirm: () => Promise<boolean>): Promise<boolean> {
  const at = performance.now();
  const [mark] = await database.run(
    `UPDATE @.run SET deleting_at = now()
     WHERE name = $1 AND (deleting_at IS NULL OR deleting_at < now() - ${markInterval}) RETURNING id`,
    [name],
  );
  if (mark === undefined) return false;
  let agreed = false;
  try {
    agreed = (await confirm()) && performance.now() - at < confirmWithinMs;
    return agreed;
  } finally {
    if (!agreed) await database.run('UPDATE @.run SET deleting_at = NULL WHERE id = $1', [String(mark['id'])]);
  }
}

/** Time for which a deleted run's row stays: longer than any statement that might still write to the run. */
const straysInterval = `interval '10 minutes'`;

/**
 * Deletes the rows of runs that were deleted. `before` is called for each run first, with its row and whether nothing
 * can be written to it any more. The row of the run itself stays until then.
 */
export async function removeBuried(database: Database, before?: (row: string) => Promise<void>): Promise<void> {
  const buried = await database.run(
    `SELECT id, deleting_at < now() - ${straysInterval} AS settled FROM @.run WHERE name IS NULL ORDER BY id`,
  );
  for (const { id, settled } of buried) {
    const row = String(id);
    await before?.(row);
    for (const [table, limit] of tables) await removeRows(database, table, row, limit);
    if (settled === true) await database.run('DELETE FROM @.run WHERE id = $1 AND name IS NULL', [row]);
  }
}

/** Deletes in portions, so that no statement runs into its time limit. */
async function removeRows(database: Database, table: string, row: string, limit: number): Promise<void> {
  for (;;) {
    const removed = await database.run(
      `DELETE FROM @.${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM @.${table} WHERE run = $1 LIMIT ${limit})) RETURNING 1`,
      [row],
    );
    if (removed.length < limit) return;
  }
}
