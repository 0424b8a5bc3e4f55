import { z } from 'zod';
import { checkValue, firstIssue, type JsonObject } from '../kernel';
import { freezeList, type Records, schemaViolation } from './frozen-records';
import { maxSessionBytes, NotPlainJsonError, plainRecord } from './plain-json';
import { emptySession, measureSession, type Session, slicesWithRecords, toFrozenSession } from './session';
import { SnapshotIncompatibleError, UnknownSliceError } from './session-errors';
import type { SessionSchema } from './session-schema';
import type { Slice } from './slice';

/**
 * Version of the snapshot format, which the parameter `snapshot_version` of a dispatch is compared with. Raised when an
 * older version of Baton could misread a snapshot. It does not depend on a project's slices.
 */
export const snapshotFormat = '1';

/**
 * An immutable copy of a session. An empty slice is not part of it, so a slice that nobody has written to yet is the same
 * as one that does not exist: a session schema may get more slices while snapshots are in flight.
 */
export interface SessionSnapshot {
  readonly snapshotVersion: string;
  /** Version of the session that was copied. */
  readonly version: number;
  /** Version of each slice, as its author declared it. */
  readonly versions: Readonly<Record<string, number>>;
  readonly slices: Readonly<Record<string, Records>>;
}

/** The snapshot of a session in which nothing has been recorded. */
export const emptySnapshot: SessionSnapshot = Object.freeze({
  snapshotVersion: snapshotFormat,
  version: 0,
  versions: Object.freeze({}),
  slices: Object.freeze({}),
});

/**
 * Takes a snapshot of a session. This is cheap: the records are frozen, so the snapshot and the session share them.
 * Throws an `UnknownSliceError` if the session has records that this schema could not describe.
 */
export function snapshot(schema: SessionSchema, session: Session): SessionSnapshot {
  const slices = slicesWithRecords(toFrozenSession(session)).map(([name, records]) => {
    const slice = schema.slice(name);
    if (slice === undefined) throw new UnknownSliceError(name);
    return { slice, records };
  });
  return Object.freeze({
    snapshotVersion: snapshotFormat,
    version: session.version,
    versions: Object.freeze(Object.fromEntries(slices.map(({ slice: { name, version } }) => [name, version]))),
    slices: Object.freeze(Object.fromEntries(slices.map(({ slice: { name }, records }) => [name, records]))),
  });
}

/** Takes a snapshot of some slices, for a tool that reads them. No session starts from it, so any name is accepted. */
export function snapshotOfSlices({ version, slices }: Session, names: readonly string[]): SessionSnapshot {
  const given = Object.fromEntries(names.map((name) => [name, slices[name] ?? []]));
  return { snapshotVersion: snapshotFormat, version, versions: {}, slices: given };
}

const envelopeSchema = z.object({
  snapshotVersion: z.string(),
  version: z.int().nonnegative(),
  /** A slice that is not listed has version 1, like a slice whose author does not declare one. */
  versions: z.record(z.string(), z.int().positive()).default({}),
  slices: z.record(z.string(), z.array(z.unknown())),
});
type Envelope = z.infer<typeof envelopeSchema>;

/**
 * Restores a session from a snapshot. A slice that the snapshot lacks is empty. Throws an `UnknownSliceError` if this
 * schema lacks a slice of the snapshot, and a `SnapshotIncompatibleError` that names slice and field if a slice has
 * another version or its records don't fit. How a record schema is worded is not compared, only whether it accepts the
 * records.
 */
export function hydrate(schema: SessionSchema, snapshot: SessionSnapshot): Session {
  const { version, versions, slices: given } = parseEnvelope(snapshot);
  const slices = Object.entries(given).map(([name, records]) => {
    const slice = schema.slice(name);
    if (slice === undefined) throw new UnknownSliceError(name);
    requireSameVersion(slice, versions[name] ?? 1);
    return [name, recordsFor(slice, records)] as const;
  });
  const session = { version, slices: { ...emptySession(schema).slices, ...Object.fromEntries(slices) } };
  const { bytes, largest } = measureSession(session);
  if (bytes > maxSessionBytes) {
    const reason = `the session is ${bytes} bytes; the limit is ${maxSessionBytes}`;
    throw new SnapshotIncompatibleError(largest, 'records', reason);
  }
  return session;
}

function parseEnvelope(snapshot: unknown): Envelope {
  const parsed = checkValue(envelopeSchema, snapshot);
  if (!parsed.success) {
    const { field, reason } = firstIssue(parsed.error, 'snapshot');
    throw new SnapshotIncompatibleError(null, field, reason);
  }
  // Earlier snapshots have a digest after the format.
  const format = parsed.data.snapshotVersion.split('.')[0] ?? '';
  if (format === snapshotFormat) return parsed.data;
  throw new SnapshotIncompatibleError(
    null,
    'snapshotVersion',
    `unknown format ${format}; this version of Baton reads only format ${snapshotFormat}`,
  );
}

function requireSameVersion({ name, version }: Slice, given: number): void {
  if (version === given) return;
  const reason = `the snapshot has version ${given} of this slice, and this worker has version ${version}`;
  throw new SnapshotIncompatibleError(name, 'version', reason);
}

function recordsFor(slice: Slice, records: readonly unknown[]): Records {
  return freezeList(records.map((record, index) => checkedRecord(slice, record, String(index))));
}

function checkedRecord(slice: Slice, record: unknown, index: string): JsonObject {
  try {
    const copy = plainRecord(record, [index]);
    const violation = schemaViolation(slice.record, copy);
    if (violation === undefined) return copy;
    throw new SnapshotIncompatibleError(slice.name, `${index}.${violation.field}`, violation.reason);
  } catch (error) {
    if (error instanceof NotPlainJsonError) throw new SnapshotIncompatibleError(slice.name, error.field, error.reason);
    throw error;
  }
}
