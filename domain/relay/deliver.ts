import type { LeftArtifact } from '../dispatch/delegation';
import {
  applyEvents,
  artifactsSlice,
  filesSlice,
  recordsOf,
  type FileRecord,
  type Session,
  type SessionSchema,
} from '../session';
import type { SessionEvent } from '../tool/event';
import type { FileChange } from '../workspace/change';
import { mergeChanges } from '../workspace/merge';
import type { RelayState } from './state';

/** What one item of a step left behind; nothing else of it reaches the steps after it. */
export interface Delivery {
  readonly delegationId: string;
  /** `step#index`: an item may replace what it left itself in an earlier round. */
  readonly owner: string;
  readonly artifacts: readonly LeftArtifact[];
  /** Files that differ from those it started from. */
  readonly files: readonly FileRecord[];
  /** Expected artifacts that it did not write, or wrote as they were. */
  readonly missing: readonly string[];
}

export interface Delivered {
  readonly session: Session;
  readonly owners: RelayState['owners'];
  /** Why the item counts as failed; then nothing of it was taken over. */
  readonly problem?: string;
}

/** Takes over what an item left. `baseline` is the session that it started from: others may have delivered since. */
export function deliver(
  schema: SessionSchema,
  { session, owners }: Omit<Delivered, 'problem'>,
  baseline: Session,
  delivery: Delivery,
): Delivered {
  const refused = (problem: string): Delivered => ({ session, owners, problem });
  const missing = delivery.missing.filter((name) => owners[name] !== delivery.owner);
  if (missing.length > 0) return refused(`it did not leave ${missing.join(', ')}`);
  const changes = changesOf(baseline, delivery.files);
  const current = new Map(recordsOf(session, filesSlice).map(({ path, hash }) => [path, hash]));
  const [conflict] = mergeChanges(current, changes).conflicts;
  if (conflict !== undefined) {
    const path = conflict.blockedBy ?? conflict.change.path;
    return refused(
      `it changed ${path}, which another item changed meanwhile: items that share files can't be parallel`,
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

/** An artifact keeps its name unless somebody else has it: then the delegation's id stands before it. */
function named(
  session: Session,
  owners: RelayState['owners'],
  { artifacts, owner, delegationId }: Delivery,
): LeftArtifact[] {
  const taken = new Set(recordsOf(session, artifactsSlice).map(({ name }) => name));
  return artifacts.map(({ name, ref }) => {
    return { name: taken.has(name) && owners[name] !== owner ? `${delegationId}/${name}` : name, ref };
  });
}

function changesOf(baseline: Session, files: readonly FileRecord[]): FileChange[] {
  const before = new Map(recordsOf(baseline, filesSlice).map(({ path, hash }) => [path, hash]));
  return files.map(({ path, hash, bytes, mediaType }) => ({
    path,
    expectedHash: before.get(path) ?? null,
    newHash: hash,
    bytes,
    ...(mediaType === undefined ? {} : { mediaType }),
  }));
}

function fileEvent({ path, expectedHash, newHash, bytes, mediaType }: FileChange): SessionEvent {
  const value = { path, expectedHash, newHash, bytes, ...(mediaType === undefined ? {} : { mediaType }) };
  return { type: 'fileChanged', value };
}

function artifactEvent({ name, ref }: LeftArtifact, by: string): SessionEvent {
  return { type: 'artifactWritten', value: { name, ref: { ...ref }, by } };
}
