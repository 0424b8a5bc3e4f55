import { StoreUnavailableError, type VolatileValues } from '../../domain/store';
import type { Database } from './database';

/**
 * Volatile values of a run, in a table that is not logged. They are written only for a run that exists, so they never
 * bring back a run that was deleted.
 */
export class PostgresValues implements VolatileValues {
  constructor(
    private readonly database: Database,
    private readonly run: string,
  ) {}

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const written = await this.database.run(
      `INSERT INTO @.value (run, name, content)
       SELECT id, $2, $3 FROM @.run, set_config('synchronous_commit', 'off', true) WHERE @.run.name = $1
       ON CONFLICT (run, name) DO UPDATE SET content = excluded.content RETURNING 1`,
      [this.run, name, bytes],
    );
    if (written.length === 0) throw new StoreUnavailableError(this.database.location, 'the run has no data');
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const [row] = await this.database.run(
      'SELECT v.content FROM @.run r JOIN @.value v ON v.run = r.id WHERE r.name = $1 AND v.name = $2',
      [this.run, name],
    );
    return row === undefined ? undefined : (row['content'] as Buffer);
  }

  async remove(name: string): Promise<void> {
    await this.database.run('DELETE FROM @.value v USING @.run r WHERE v.run = r.id AND r.name = $1 AND v.name = $2', [
      this.run,
      name,
    ]);
  }
}
