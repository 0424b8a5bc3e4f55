import { InvalidInputError } from '../domain/kernel';
import { BlobCorruptError, type BlobRef, type RunStore, type StoredContent } from '../domain/store';
import { sha256 } from './blobs';
import { isMove } from './run-moves';

/** What `copyRun` copied, or found at its destination. */
export interface CopiedRun {
  readonly blobs: number;
  readonly entries: number;
  readonly bytes: number;
}

const unknownType = 'application/octet-stream';

/**
 * Copies everything that a run has stored to another store, and compares every content with its hash on both sides. What
 * is there already is not written again, so a copy that was interrupted can be repeated. Throws if the destination has
 * another run with this id.
 */
export async function copyRun(from: RunStore, to: RunStore): Promise<CopiedRun> {
  if (from.everything === undefined)
    throw new InvalidInputError('from', 'this store does not list its contents', 'Copy from a store of Baton.');
  let [blobs, entries, bytes] = [0, 0, 0];
  const moves: StoredContent[] = [];
  for await (const content of from.everything()) {
    bytes += content.bytes.byteLength;
    if (content.key === undefined) blobs += 1;
    else entries += 1;
    if (content.key !== undefined && isMove(content.key)) moves.push(content);
    else await copy(content, to);
  }
  await to.flush();
  const { damaged } = await to.verify();
  const [first] = damaged;
  if (first !== undefined) throw new BlobCorruptError(to.runId, first, 'the copy', 'it is damaged at its destination');
  for (const move of moves) await copy(move, to);
  await to.flush();
  return { blobs, entries, bytes };
}

/** Reads everything that a run has stored. Throws `BlobCorruptError` if something is damaged. */
export async function assertIntact(run: RunStore): Promise<void> {
  const contents = run.everything?.()[Symbol.asyncIterator]();
  let next = await contents?.next();
  while (next?.done === false) next = await contents?.next();
}

async function copy({ key, bytes }: StoredContent, to: RunStore): Promise<void> {
  if (key === undefined) {
    const ref: BlobRef = { hash: sha256(bytes), bytes: bytes.byteLength, mediaType: unknownType };
    if (!(await to.has(ref))) await to.put(bytes, unknownType, { later: true });
    return;
  }
  const winner = await to.putIfAbsent(key, bytes, { later: true });
  if (Buffer.from(bytes).equals(winner)) return;
  throw new InvalidInputError(
    'runId',
    `the destination has another run "${to.runId}"`,
    'Delete that one with `baton gc`, or leave this run out.',
  );
}
