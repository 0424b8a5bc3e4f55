import type { JournalPort, NamedContent } from '../driver/ports';
import type { Database } from './database';
import { insertStatement, type RunWrites } from './writes';

/** Entries of a page. Most have a few kilobytes. */
const entriesAtATime = 200;

const insertEntry = insertStatement(
  `INSERT INTO @.entry (run, name, content) SELECT id, $2, $3 FROM run WHERE NOT deleting ON CONFLICT DO NOTHING`,
);

/** The journal of one run, as rows. The primary key lets one writer win. */
export class PostgresJournal implements JournalPort {
  constructor(
    private readonly database: Database,
    private readonly writes: RunWrites,
    private readonly durability: { unflushed(): void; flush(): Promise<void> },
  ) {}

  async create(name: string, content: Uint8Array, later: boolean): Promise<boolean> {
    const created = await this.writes.insert(later ? insertEntry.later : insertEntry.now, [name, content]);
    if (later) this.durability.unflushed();
    return created;
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const [row] = await this.database.run(
      'SELECT e.content FROM @.run r JOIN @.entry e ON e.run = r.id WHERE r.name = $1 AND e.name = $2',
      [this.writes.run.name, name],
    );
    return row === undefined ? undefined : (row['content'] as Buffer);
  }

  async *list(prefix: string, except: ReadonlySet<string>): AsyncGenerator<readonly NamedContent[], void, undefined> {
    for (let after = prefix; ;) {
      const rows = await this.database.run(
        `SELECT e.name, e.content FROM @.run r JOIN @.entry e ON e.run = r.id
         WHERE r.name = $1 AND e.name > $2 AND starts_with(e.name, $3) AND e.name <> ALL ($4::text[])
         ORDER BY e.name LIMIT ${entriesAtATime}`,
        [this.writes.run.name, after, prefix, [...except]],
      );
      const page = rows.map((row) => ({ name: String(row['name']), content: row['content'] as Buffer }));
      if (page.length > 0) yield page;
      if (page.length < entriesAtATime) return;
      after = page.at(-1)?.name ?? '';
    }
  }

  async adopt(_name: string, _content: Uint8Array, later: boolean): Promise<void> {
    this.durability.unflushed();
    if (!later) await this.durability.flush();
  }
}
