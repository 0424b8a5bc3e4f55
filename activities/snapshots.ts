import { InvalidInputError } from '../domain/errors';
import type { SnapshotTransfer } from '../domain/dispatch/delegation';
import type { Session, SessionSnapshot } from '../domain/session';
import type { BlobRef } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';
import { putJson } from '../store/json-blobs';
import type { ExecuteToolInput } from './interface';

/** Stored as canonical JSON, so the same version of a session is stored once, whoever saves it. */
export function saveSnapshot(store: RunStore, snapshot: SessionSnapshot): Promise<BlobRef> {
  return putJson(store, snapshot);
}

/** Only its form is checked here: whether it fits is decided where the slices are known, in the workflow. */
export async function loadSnapshot(store: RunStore, ref: BlobRef): Promise<SessionSnapshot> {
  const value = JSON.parse(Buffer.from(await store.get(ref, 'session snapshot')).toString('utf8')) as unknown;
  if (typeof value === 'object' && value !== null && 'slices' in value) return value as SessionSnapshot;
  throw new InvalidInputError('snapshot', 'the stored content is not a session snapshot', 'Start the run again.');
}

export function takeSnapshot(store: RunStore, transfer: SnapshotTransfer): Promise<SessionSnapshot> {
  return 'inline' in transfer ? Promise.resolve(transfer.inline) : loadSnapshot(store, transfer.ref);
}

/** The slices that an activity was given, whichever way they came. */
export async function seenSession(
  store: RunStore,
  session: ExecuteToolInput['session'],
): Promise<Pick<Session, 'slices'>> {
  if (session === undefined) return { slices: {} };
  return 'slices' in session ? session : loadSnapshot(store, session.ref);
}
