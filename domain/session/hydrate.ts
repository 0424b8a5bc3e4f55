import { z } from 'zod';
import type { JsonObject } from '../kernel/json-value';
import { firstIssue } from '../kernel/schema-issues';
import { SnapshotIncompatibleError } from './session-errors';
import { maxSessionBytes } from './limits';
import { NotPlainJsonError, plainRecord } from './plain-json';
import type { SessionSchema } from './session-schema';
import { freezeList, type Records } from './frozen-records';
import { measureSession, type Session } from './session';
import type { Slice } from './slice';
import { snapshotFormat, snapshotVersionOf, type SessionSnapshot } from './snapshot';
import { schemaViolation } from './validate';

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
