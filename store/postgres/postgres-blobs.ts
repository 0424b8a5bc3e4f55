import type { BlobPort } from '../driver/ports';
import { sha256 } from '../blobs';
import type { Database, Queries, Row } from './database';
import { insertStatement, type RunWrites } from './writes';

/** Bytes of a row. Larger blobs are cut into pieces, so that neither side needs many times their size at once. */
const pieceBytes = 1024 * 1024;

const namesAtATime = 1_000;

const isDifferent = 'blob.bytes <> excluded.bytes OR blob.content IS DISTINCT FROM excluded.content';
const insertBlob = insertStatement(
  `INSERT INTO @.blob (run, name, bytes, content) SELECT id, $2, $3, $4 FROM run WHERE NOT deleting
   ON CONFLICT (run, name) DO UPDATE SET bytes = excluded.bytes, content = excluded.content WHERE ${isDifferent}`,
);
/** A blob in pieces has no content of its own. It is there when this row is, which is written last. */
const insertHead = insertStatement(
  `INSERT INTO @.blob (run, name, bytes) SELECT id, $2, $3 FROM run WHERE NOT deleting
   ON CONFLICT (run, name) DO UPDATE SET bytes = excluded.bytes, content = NULL WHERE ${isDifferent}`,
);
const insertPiece = insertStatement(
  `INSERT INTO @.piece (run, name, number, content) SELECT id, $2, $3, $4 FROM run WHERE NOT deleting
   ON CONFLICT (run, name, number) DO UPDATE SET content = excluded.content`,
);

/** The blobs of one run, as rows. */
export class PostgresBlobs implements BlobPort {
  constructor(
    private readonly database: Database,
    private readonly writes: RunWrites,
    /** Called when something was written with `later`. */
    private readonly unflushed: () => void,
  ) {}

  async write(name: string, content: Uint8Array, later: boolean): Promise<void> {
    if (content.byteLength <= pieceBytes) {
      const { byteLength } = content;
      await this.writes.insert(later ? insertBlob.later : insertBlob.now, [name, byteLength, content]);
    } else {
      await this.database.transaction((queries) => this.writePieces(queries, name, content));
    }
    // Also when it was there: whoever wrote it may have died before its flush.
    if (later) this.unflushed();
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const [head] = await this.select('b.content, b.bytes', name);
    if (head === undefined) return undefined;
    if (head['content'] !== null) return head['content'] as Buffer;
    const pieces: Buffer[] = [];
    const count = Math.ceil(Number(head['bytes']) / pieceBytes);
    for (let number = 0; number < count; number += 1) {
      const [row] = await this.database.run(
        'SELECT p.content FROM @.run r JOIN @.piece p ON p.run = r.id WHERE r.name = $1 AND p.name = $2 AND p.number = $3',
        [this.writes.run.name, name, number],
      );
      if (row !== undefined) pieces.push(row['content'] as Buffer);
    }
    return Buffer.concat(pieces);
  }

  async size(name: string): Promise<number | undefined> {
    const [head] = await this.select('b.bytes', name);
    return head === undefined ? undefined : Number(head['bytes']);
  }

  async *names(): AsyncGenerator<readonly string[], void, undefined> {
    for (let after = ''; ;) {
      const rows = await this.database.run(
        `SELECT b.name FROM @.run r JOIN @.blob b ON b.run = r.id
         WHERE r.name = $1 AND b.name > $2 ORDER BY b.name LIMIT ${namesAtATime}`,
        [this.writes.run.name, after],
      );
      const names = rows.map((row) => String(row['name']));
      if (names.length > 0) yield names;
      if (names.length < namesAtATime) return;
      after = names.at(-1) ?? '';
    }
  }

  private select(columns: string, name: string): Promise<readonly Row[]> {
    return this.database.run(
      `SELECT ${columns} FROM @.run r JOIN @.blob b ON b.run = r.id WHERE r.name = $1 AND b.name = $2`,
      [this.writes.run.name, name],
    );
  }

  /** Writes the pieces that are not there or are damaged, and then the row that makes them a blob. */
  private async writePieces(queries: Queries, name: string, content: Uint8Array): Promise<void> {
    const rows = await queries.run(
      `SELECT p.number, encode(sha256(p.content), 'hex') AS hash FROM @.run r JOIN @.piece p ON p.run = r.id
       WHERE r.name = $1 AND p.name = $2`,
      [this.writes.run.name, name],
    );
    const there = new Map(rows.map((row) => [Number(row['number']), row['hash']]));
    for (let number = 0; number * pieceBytes < content.byteLength; number += 1) {
      const piece = content.subarray(number * pieceBytes, (number + 1) * pieceBytes);
      if (there.get(number) === sha256(piece)) continue;
      await this.writes.insert(insertPiece.now, [name, number, piece], queries);
    }
    await this.writes.insert(insertHead.now, [name, content.byteLength], queries);
  }
}
