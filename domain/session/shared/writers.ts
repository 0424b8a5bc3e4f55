import { z } from 'zod';
import { blobRefSchema } from '../../store';
import { changeVerdictSchema } from '../turn';

/** What a host remembers about a writer: its last request, so that a repetition is recognized and answered. */
const writerStateSchema = z.object({
  /** Execution that sent the last request. */
  epoch: z.string(),
  /** Time of the last request. Executions whose requests are older have ended. */
  at: z.number(),
  seq: z.int().nonnegative(),
  /** Digest of the last request, to distinguish its repetition from a different request. */
  digest: z.string(),
  verdicts: z.array(changeVerdictSchema).readonly(),
});
export type WriterState = Readonly<z.infer<typeof writerStateSchema>>;

/** Writers by name. */
export const writersSchema = z.record(z.string(), writerStateSchema);
export type Writers = Readonly<z.infer<typeof writersSchema>>;

/** Writers that a host has moved to the store, because batches with thousands of writers would not fit into a payload. */
export const storedWritersSchema = z.object({
  /** Newest page. Each page refers to the one before. */
  page: blobRefSchema,
  /** Time of their latest request. */
  until: z.number(),
});
export type StoredWriters = Readonly<z.infer<typeof storedWritersSchema>>;

/** A page of writers in the store. */
export const writersPageSchema = z.object({ previous: blobRefSchema.nullable(), writers: writersSchema });
export type WritersPage = Readonly<z.infer<typeof writersPageSchema>>;

/**
 * Maximum JSON characters of the writers that a host carries over when it continues as new. With a session of at most
 * 256 KiB, its state stays far below the server's 2 MiB.
 */
export const maxWritersSize = 256 * 1024;

/** A host's writers: recent ones, and those that are in the store. */
export interface KnownWriters {
  readonly writers: Writers;
  readonly stored?: StoredWriters;
}

/** Returns the writers to move to the store, those with the oldest requests first; undefined if all of them fit. */
export function writersToStore({ writers }: KnownWriters): Writers | undefined {
  const sized = Object.entries(writers).map(([name, state]) => ({ name, state, size: sizeOf(name, state) }));
  let excess = sized.reduce((sum, { size }) => sum + size, 0);
  if (excess <= maxWritersSize) return undefined;
  // Half of them stay, so that this happens seldom.
  excess -= maxWritersSize / 2;
  const moved: [string, WriterState][] = [];
  for (const { name, state, size } of sized.sort((a, b) => a.state.at - b.state.at)) {
    if (excess <= 0) break;
    moved.push([name, state]);
    excess -= size;
  }
  return Object.fromEntries(moved);
}

function sizeOf(name: string, state: WriterState): number {
  return JSON.stringify(state).length + name.length + 4;
}

/** Removes writers that are now in the store. Those that have written in the meantime are kept. */
export function afterStoring<State extends KnownWriters>(
  state: State,
  moved: Writers,
  page: StoredWriters['page'],
): State {
  const writers = Object.fromEntries(Object.entries(state.writers).filter(([name, now]) => moved[name] !== now));
  const until = Math.max(state.stored?.until ?? 0, ...Object.values(moved).map(({ at }) => at));
  return { ...state, writers, stored: { page, until } };
}

/**
 * Returns the writers that have to be looked up in the store before these requests can be applied. A request that is
 * newer than every stored one can't repeat any of them, and no execution that is stored can fence it off.
 */
export function writersToFind(
  { writers, stored }: KnownWriters,
  requests: readonly { readonly writer: string; readonly at: number }[],
): readonly string[] {
  if (stored === undefined) return [];
  const unknown = requests.filter(({ writer, at }) => !Object.hasOwn(writers, writer) && at <= stored.until);
  return [...new Set(unknown.map(({ writer }) => writer))];
}

/** Adds writers that were found in the store. What the host itself remembers is newer. */
export function afterFinding<State extends KnownWriters>(state: State, found: Writers): State {
  return { ...state, writers: { ...found, ...state.writers } };
}
