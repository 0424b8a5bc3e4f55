import { z } from 'zod';
import { firstIssue, type JsonObject } from '../kernel';
import { freezeList, type Records, schemaViolation } from './frozen-records';
import { maxSessionBytes, NotPlainJsonError, plainRecord } from './plain-json';
import { measureSession, recordsOfSlice, type Session, toFrozenSession } from './session';
import { SnapshotIncompatibleError } from './session-errors';
import type { SessionSchema } from './session-schema';
import type { Slice } from './slice';

/** Version of the snapshot format. Raised when an older version of Baton could misread a snapshot. */
const snapshotFormat = '1';

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

const envelopeSchema = z.strictObject({
  snapshotVersion: z.string(),
  fingerprint: z.string(),
  version: z.int().nonnegative(),
  definitions: z.record(z.string(), z.string()),
  slices: z.record(z.string(), z.array(z.unknown())),
});
type Envelope = z.infer<typeof envelopeSchema>;

/** Restores a session from a snapshot. Throws a `SnapshotIncompatibleError` that names the slice and field at fault. */
export function hydrate(schema: SessionSchema, snapshot: SessionSnapshot): Session {
  const envelope = parseEnvelope(snapshot);
  requireSameSlices(schema, envelope);
  const slices = schema.slices.map((slice) => [slice.name, recordsFor(slice, envelope)] as const);
  const session = { version: envelope.version, slices: Object.fromEntries(slices) };
  const { bytes, largest } = measureSession(session);
  if (bytes > maxSessionBytes) {
    const reason = `the session is ${bytes} bytes; the limit is ${maxSessionBytes}`;
    throw new SnapshotIncompatibleError(largest, 'records', reason);
  }
  return session;
}

function parseEnvelope(snapshot: unknown): Envelope {
  const parsed = envelopeSchema.safeParse(snapshot);
  if (!parsed.success) {
    const { field, reason } = firstIssue(parsed.error, 'snapshot');
    throw new SnapshotIncompatibleError(null, field, reason);
  }
  const format = parsed.data.snapshotVersion.split('.')[0] ?? '';
  if (format === snapshotFormat) return parsed.data;
  throw new SnapshotIncompatibleError(
    null,
    'snapshotVersion',
    `unknown format ${format}; this version of Baton reads only format ${snapshotFormat}`,
  );
}

/** Compares single slices before the fingerprint, because the name of a slice makes a more useful error. */
function requireSameSlices(schema: SessionSchema, envelope: Envelope): void {
  const { slices, definitions, fingerprint, snapshotVersion } = envelope;
  const unknown = Object.keys(slices).find((name) => !Object.hasOwn(schema.definitions, name));
  if (unknown !== undefined) throw new SnapshotIncompatibleError(unknown, 'slices', 'this session has no such slice');
  for (const { name } of schema.slices) {
    if (!Object.hasOwn(slices, name)) throw new SnapshotIncompatibleError(name, 'slices', 'missing');
    if (definitions[name] !== schema.definitions[name]) {
      const reason = `this session has a different definition (${schema.definitions[name] ?? ''}) from the snapshot (${definitions[name] ?? ''})`;
      throw new SnapshotIncompatibleError(name, 'definition', reason);
    }
  }
  const expected = { fingerprint: schema.fingerprint, snapshotVersion: snapshotVersionOf(schema) };
  if (fingerprint !== expected.fingerprint) {
    throw new SnapshotIncompatibleError(null, 'fingerprint', `${fingerprint} instead of ${expected.fingerprint}`);
  }
  if (snapshotVersion === expected.snapshotVersion) return;
  const reason = `${snapshotVersion} instead of ${expected.snapshotVersion}`;
  throw new SnapshotIncompatibleError(null, 'snapshotVersion', reason);
}

function recordsFor(slice: Slice, { slices }: Envelope): Records {
  const records = slices[slice.name] ?? [];
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
