import type { NamedArtifact } from '../delegation';
import {
  applyEvents,
  artifactsSlice,
  fileEvent,
  type FileRecord,
  filesSlice,
  recordsOf,
  type Session,
  type SessionSchema,
} from '../session';
import type { SessionEvent } from '../tool';
import { type FileChange, mergeChanges } from '../workspace';
import type { RelayState } from './state';

/** The artifacts and files that one item of a step wrote. Except for selected values, later steps get nothing else. */
export interface ItemOutput {
  readonly delegationId: string;
  /** `step#index`. An item may replace the artifacts that it wrote itself in an earlier round. */
  readonly owner: string;
  readonly artifacts: readonly NamedArtifact[];
  /** Files that differ from those in the item's baseline. */
  readonly files: readonly FileRecord[];
  /** Expected artifacts that the item did not write, or wrote without a change. */
  readonly missing: readonly string[];
}

/** The state after an item was merged, or the unchanged state and a problem. */
export interface MergedItem {
  readonly session: Session;
  readonly owners: RelayState['owners'];
  /** Why the item failed. Then nothing of it was merged. */
  readonly problem?: string;
}

/** Merges the output of an item. `baseline` is the session it started from; other items may have been merged since. */
export function mergeItemOutput(
  schema: SessionSchema,
  { session, owners }: Omit<MergedItem, 'problem'>,
  baseline: Session,
  delivery: ItemOutput,
): MergedItem {
  const refused = (problem: string): MergedItem => ({ session, owners, problem });
  const missing = delivery.missing.filter((name) => owners[name] !== delivery.owner);
  if (missing.length > 0) return refused(`it did not write ${missing.join(', ')}`);
  const changes = changesOf(baseline, delivery.files);
  const current = new Map(recordsOf(session, filesSlice).map(({ path, hash }) => [path, hash]));
  const [conflict] = mergeChanges(current, changes).conflicts;
  if (conflict !== undefined) {
    const path = conflict.blockedBy ?? conflict.change.path;
    return refused(
      `it changed ${path}, which another item also changed. Items that change the same files can't run in parallel`,
    );
  }
  const artifacts = named(session, owners, delivery);
  const { session: changed, results } = applyEvents(schema, session, [
    ...changes.map(fileEvent),
    ...artifacts.map((artifact) => artifactEvent(artifact, delivery.delegationId)),
  ]);
  for (const result of results) if (result.status === 'failed') return refused(result.failure.message);
  const own = Object.fromEntries(artifacts.map(({ name }) => [name, delivery.owner]));
  return { session: changed, owners: { ...owners, ...own } };
}

/** An artifact keeps its name unless an artifact of another owner has it. Then the delegation id is prefixed. */
function named(
  session: Session,
  owners: RelayState['owners'],
  { artifacts, owner, delegationId }: ItemOutput,
): NamedArtifact[] {
  const existing = new Set(recordsOf(session, artifactsSlice).map(({ name }) => name));
  return artifacts.map(({ name, ref }) => {
    return { name: existing.has(name) && owners[name] !== owner ? `${delegationId}/${name}` : name, ref };
  });
}

function changesOf(baseline: Session, files: readonly FileRecord[]): FileChange[] {
  const before = new Map(recordsOf(baseline, filesSlice).map(({ path, hash }) => [path, hash]));
  return files.map(({ path, hash, bytes, mediaType, executable }) => ({
    path,
    expectedHash: before.get(path) ?? null,
    newHash: hash,
    bytes,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(executable === undefined ? {} : { executable }),
  }));
}

function artifactEvent({ name, ref }: NamedArtifact, by: string): SessionEvent {
  return { type: 'artifactWritten', value: { name, ref: { ...ref }, by } };
}
