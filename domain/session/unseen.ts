import { filesSlice, recordsOf, type Session } from '.';
import type { RequestedChange } from './turn';

/** Maximum paths kept. The list is passed to every tool call and is therefore recorded in history. */
const maxUnseen = 100;

/**
 * Returns the files that other agents changed since this agent last read them. Comparing hashes does not protect these
 * files, because the agent's next write starts from their newest content. `write_file` refuses to replace them until
 * the agent has read them again.
 */
export function changedByOthers(
  unseen: readonly string[],
  before: Session,
  after: Session,
  own: readonly Pick<RequestedChange, 'changes'>[],
): readonly string[] {
  const known = new Map(recordsOf(before, filesSlice).map(({ path, hash }) => [path, hash]));
  const written = new Map(own.flatMap(({ changes }) => changes.map(({ path, newHash }) => [path, newHash])));
  const byOthers = recordsOf(after, filesSlice).filter(
    ({ path, hash }) => known.get(path) !== hash && !(written.has(path) && written.get(path) === hash),
  );
  if (byOthers.length === 0) return unseen;
  return [...new Set([...unseen, ...byOthers.map(({ path }) => path)])].slice(-maxUnseen);
}
