import { ownSession, recordsNamed, type Session } from './session';
import type { Records } from './sealed';
import type { SessionSchema } from './schema';

/** How snapshots are laid out; raised when an older Baton could misread one. */
export const snapshotFormat = '1';

/** An immutable copy of a session, with what is needed to know whether another session can start from it. */
export interface SessionSnapshot {
  /** What `snapshot_version` of a dispatch is compared with. */
  readonly snapshotVersion: string;
  readonly fingerprint: string;
  /** Version of the session at that moment. */
  readonly version: number;
  /** Per slice, the digest of its definition: says which one differs when the fingerprint does. */
  readonly definitions: Readonly<Record<string, string>>;
  readonly slices: Readonly<Record<string, Records>>;
}

/** Format and fingerprint in one short string, known before any snapshot is taken. */
export function snapshotVersionOf(schema: SessionSchema): string {
  return `${snapshotFormat}.${schema.fingerprint.slice(0, 12)}`;
}

/** Costs next to nothing: the records are frozen, so the snapshot and the session share them. */
export function snapshot(schema: SessionSchema, session: Session): SessionSnapshot {
  const own = ownSession(session);
  return Object.freeze({
    snapshotVersion: snapshotVersionOf(schema),
    fingerprint: schema.fingerprint,
    version: own.version,
    definitions: schema.definitions,
    slices: Object.freeze(Object.fromEntries(schema.slices.map(({ name }) => [name, recordsNamed(own, name)]))),
  });
}
