import { checkValue, InvalidInputError } from '../../domain/kernel';
import {
  loadSnapshotActivity,
  type Session,
  type SessionSnapshot,
  type SlicesPayload,
  type SnapshotPayload,
} from '../../domain/session';
import type { BlobRef, RunStore } from '../../domain/store';
import { putJson } from '../../store/blobs';

/** Stores a session snapshot as canonical JSON, so that the same version is stored once, whichever agent saves it. */
export function saveSnapshot(store: RunStore, snapshot: SessionSnapshot): Promise<BlobRef> {
  return putJson(store, snapshot);
}

/**
 * Loads a session snapshot. Whether it fits the session schema is checked in the workflow, where the slices are known.
 */
export async function loadSnapshot(store: RunStore, ref: BlobRef): Promise<SessionSnapshot> {
  const value: unknown = JSON.parse(Buffer.from(await store.get(ref, 'session snapshot')).toString('utf8'));
  const parsed = checkValue(loadSnapshotActivity.result, value);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError('snapshot', 'the stored blob is not a session snapshot', 'Start the run again.');
}

/** Returns a snapshot that was passed inline or by ref. */
export function resolveSnapshot(store: RunStore, transfer: SnapshotPayload): Promise<SessionSnapshot> {
  return 'inline' in transfer ? Promise.resolve(transfer.inline) : loadSnapshot(store, transfer.ref);
}

/** Returns slices that were passed inline or by ref; none if the activity was given none. */
export async function resolveSlices(
  store: RunStore,
  session: SlicesPayload | undefined,
): Promise<Pick<Session, 'slices'>> {
  if (session === undefined) return { slices: {} };
  return 'slices' in session ? session : loadSnapshot(store, session.ref);
}
