import { filesSlice, recordsOf, type Session } from '../session';
import type { WantedChange } from './apply-turn';

/** So many are remembered: they are told to tools, and so stand in history. */
const maxUnseen = 100;

/**
 * Files that others changed since the agent last looked at them. Its next write starts from what is there now, so nothing
 * would be lost by the comparison of hashes alone: only that it has not seen what it replaces says that.
 */
export function unseenAfter(
  unseen: readonly string[],
  before: Session,
  after: Session,
  own: readonly Pick<WantedChange, 'changes'>[],
): readonly string[] {
  const known = new Map(recordsOf(before, filesSlice).map(({ path, hash }) => [path, hash]));
  const written = new Map(own.flatMap(({ changes }) => changes.map(({ path, newHash }) => [path, newHash])));
  const byOthers = recordsOf(after, filesSlice).filter(
    ({ path, hash }) => known.get(path) !== hash && !(written.has(path) && written.get(path) === hash),
  );
  if (byOthers.length === 0) return unseen;
  return [...new Set([...unseen, ...byOthers.map(({ path }) => path)])].slice(-maxUnseen);
}
