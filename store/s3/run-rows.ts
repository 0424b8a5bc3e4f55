import { StoreUnavailableError } from '../../domain/store';
import { growingCache } from '../growing-cache';
import type { Database } from '../postgres/database';
import { createRun, markInterval, type RunIdentity } from '../postgres/writes';

interface Look {
  readonly row: string;
  readonly deleting: boolean;
}

/**
 * The rows of runs in the journal's database, by which their objects are named: a run that is deleted and begun anew has
 * another row, so the objects of the two never mix.
 */
export class RunRows {
  private readonly looks = growingCache<Look>(10_000);

  constructor(private readonly database: Database) {}

  /** Returns the row of a run, and creates it if there is none. Throws if the run is being deleted. */
  async forWriting(run: RunIdentity): Promise<string> {
    let look = await this.look(run);
    if (look === undefined) {
      await createRun(this.database, run);
      look = await this.look(run);
    }
    if (look?.deleting === false) return look.row;
    throw new StoreUnavailableError(this.database.location, `\`baton gc\` is deleting the data of run "${run.runId}"`);
  }

  /** Returns the row that a run had when it was last looked up; undefined if it was not. */
  known({ name }: RunIdentity): string | undefined {
    return this.looks.get(name)?.row;
  }

  /** Returns the row of a run; undefined if it has none. */
  async forReading(run: RunIdentity, again: boolean): Promise<string | undefined> {
    const known = again ? undefined : this.looks.get(run.name);
    return (known ?? (await this.look(run)))?.row;
  }

  forget(name: string): void {
    this.looks.delete(name);
  }

  private async look({ name }: RunIdentity): Promise<Look | undefined> {
    const [found] = await this.database.run(
      `SELECT id, coalesce(deleting_at > now() - ${markInterval}, false) AS deleting FROM @.run WHERE name = $1`,
      [name],
    );
    if (found === undefined) {
      this.looks.delete(name);
      return undefined;
    }
    const look = { row: String(found['id']), deleting: found['deleting'] === true };
    this.looks.set(name, look);
    return look;
  }
}
