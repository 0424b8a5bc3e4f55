import type { LogEntry } from './agent-log';

/** What an entry of the log tells, without its place in the history. */
export type ToldEntry = Pick<LogEntry, 'body' | 'time' | 'turn' | 'texts'>;

/** Entries that are packed together. */
const entriesInPack = 32;

/**
 * The entries of one agent, in order. They are kept as JSON: as objects, those of an agent need several times the memory, and
 * a run may have thousands of agents.
 */
export class PackedEntries {
  private readonly packs: string[] = [];
  private latest: ToldEntry[] = [];

  add({ body, time, turn, texts }: ToldEntry): void {
    this.latest.push({ body, time, ...(turn && { turn }), ...(texts && { texts }) });
    if (this.latest.length === entriesInPack) this.pack();
  }

  /** Packs what was added so far. Call it when no more is expected. */
  pack(): void {
    if (this.latest.length > 0) this.packs.push(JSON.stringify(this.latest));
    this.latest = [];
  }

  /** Yields all entries. */
  *[Symbol.iterator](): Generator<ToldEntry, void, undefined> {
    for (const pack of this.packs) yield* JSON.parse(pack) as ToldEntry[];
    yield* this.latest;
  }
}
