import { LRUCache } from 'lru-cache';
import { StoreUnavailableError } from '../../domain/store';
import type { Database } from '../postgres/database';
import { createRun, markInterval, type RunIdentity } from '../postgres/writes';

/** What is known of a run may be a second old: see `RunFolder` of the file driver. */
const looksAreValidMs = 1_000;

interface Look {
  readonly row: string;
  readonly deleting: boolean;
  readonly at: number;
}

/**
 * The rows of runs in the journal's database, by which their objects are named: a run that is deleted and begun anew has
 * another row, so the objects of the two never mix.
 */
export class RunRows {
  private readonly looks = new LRUCache<string, Look>({ max: 10_000 });

  constructor(private readonly database: Database) {}

  /** Returns the row of a run, and creates it if there is none. Throws if the run is being deleted. */
  async forWriting(run: RunIdentity): Promise<string> {
    const known = this.looks.get(run.name);
    if (known !== undefined && !known.deleting && performance.now() - known.at < looksAreValidMs) return known.row;
    let look = await this.look(run);
    if (look === undefined) {
      await createRun(this.database, run);
      look = await this.look(run);
    }
    if (look?.deleting === false) return look.row;
    throw new StoreUnavailableError(this.database.location, `\`baton gc\` is deleting the data of run "${run.runId}"`);
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
    const at = performance.now();
    const [found] = await this.database.run(
      `SELECT id, coalesce(deleting_at > now() - ${markInterval}, false) AS deleting FROM @.run WHERE name = $1`,
      [name],
    );
    if (found === undefined) {
      this.looks.delete(name);
      return undefined;
    }
    const look = { row: String(found['id']), deleting: found['deleting'] === true, at };
    this.looks.set(name, look);
    return look;
  }
}
