import { toFrozenSession, recordsOfSlice, type Session } from './session';
import type { Records } from './frozen-records';
import type { SessionSchema } from './session-schema';

/** Version of the snapshot format. Raised when an older version of Baton could misread a snapshot. */
export const snapshotFormat = '1';

/** An immutable copy of a session, with the digests that decide whether another session can start from it. */
export interface SessionSnapshot {
  /** Compared with the parameter `snapshot_version` of a dispatch. */
  readonly snapshotVersion: string;
  readonly fingerprint: string;
  /** Version of the session that was copied. */
  readonly version: number;
  /** Digest of each slice's definition, to find out which slice differs when the fingerprint does. */
  readonly definitions: Readonly<Record<string, string>>;
  readonly slices: Readonly<Record<string, Records>>;
}

/** Returns format and fingerprint as one short string. It is the same for all snapshots of a schema. */
export function snapshotVersionOf(schema: SessionSchema): string {
  return `${snapshotFormat}.${schema.fingerprint.slice(0, 12)}`;
}

/** Takes a snapshot of a session. This is cheap: the records are frozen, so the snapshot and the session share them. */
export function snapshot(schema: SessionSchema, session: Session): SessionSnapshot {
  const own = toFrozenSession(session);
  return Object.freeze({
    snapshotVersion: snapshotVersionOf(schema),
    fingerprint: schema.fingerprint,
    version: own.version,
    definitions: schema.definitions,
    slices: Object.freeze(Object.fromEntries(schema.slices.map(({ name }) => [name, recordsOfSlice(own, name)]))),
  });
}
