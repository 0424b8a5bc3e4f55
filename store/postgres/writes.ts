import { StoreUnavailableError } from '../../domain/store';
import type { WriteProbe } from '../driver/write-probe';
import type { Database, Queries, Row, Value } from './database';

/** Time for which the mark of a deletion is heeded. An older one was left behind by a process that died. */
export const markInterval = `interval '10 minutes'`;

/**
 * The run of a statement that writes. With the commit mode `off`, the server answers before the transaction is on its
 * disk: others see it, and the death of this process can't lose it, but a crash of the server can.
 */
const runRow = (later: boolean): string => `
  run AS MATERIALIZED (
    SELECT id, coalesce(deleting_at > now() - ${markInterval}, false) AS deleting
    ${later ? `, set_config('synchronous_commit', 'off', true)` : ''}
    FROM @.run WHERE name = $1
  )`;

/** A statement that inserts rows of a run. `insert` selects from `run`, whose name is the first value. */
export function insertStatement(insert: string): { readonly now: string; readonly later: string } {
  const text = (later: boolean): string =>
    `WITH ${runRow(later)}, written AS (${insert} RETURNING 1)
     SELECT deleting, EXISTS (SELECT FROM written) AS written FROM run`;
  return { now: text(false), later: text(true) };
}

/** The run that statements belong to. */
export interface RunIdentity {
  readonly runId: string;
  /** From `runName`. */
  readonly name: string;
}

/** Creates the row of a run, unless there is one. */
export async function createRun(queries: Queries, { name, runId }: RunIdentity): Promise<void> {
  await queries.run('INSERT INTO @.run (name, run_id) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
    name,
    Buffer.from(runId, 'utf8'),
  ]);
}

/** Runs statements that write to a run. */
export class RunWrites {
  constructor(
    private readonly database: Database,
    private readonly probe: WriteProbe,
    readonly run: RunIdentity,
  ) {}

  /**
   * Runs a statement of `insertStatement`. Creates the row of the run if there is none. Returns whether something was
   * inserted. Throws if the run is being deleted.
   */
  async insert(text: string, values: readonly Value[], queries: Queries = this.database): Promise<boolean> {
    const { written } = await this.attempt(queries, text, values);
    return written;
  }

  private async attempt(queries: Queries, text: string, values: readonly Value[]): Promise<{ written: boolean }> {
    try {
      let [row] = await queries.run(text, [this.run.name, ...values]);
      if (row === undefined) {
        await createRun(queries, this.run);
        [row] = await queries.run(text, [this.run.name, ...values]);
      }
      this.assertWritable(row);
      this.probe.written();
      return { written: row?.['written'] === true };
    } catch (error) {
      this.probe.failed();
      throw error;
    }
  }

  private assertWritable(row: Row | undefined): void {
    if (row?.['deleting'] === false) return;
    throw new StoreUnavailableError(
      this.database.location,
      `\`baton gc\` is deleting the data of run "${this.run.runId}"`,
    );
  }
}
