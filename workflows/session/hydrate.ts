import { DomainError } from '../../domain/kernel/errors';
import { hydrate, snapshot, type Session, type SessionSchema, type SessionSnapshot } from '../../domain/session';
import { failure } from '../failures';

/** Hydrates a session snapshot and compares the result with it. A session that differs must not be used. */
export function hydrateVerified(schema: SessionSchema, from: SessionSnapshot): Session {
  try {
    const session = hydrate(schema, from);
    if (JSON.stringify(snapshot(schema, session).slices) === JSON.stringify(from.slices)) return session;
  } catch (error) {
    if (error instanceof DomainError) throw failure(error.type, error.message);
    throw error;
  }
  throw failure('Session.SnapshotIncompatible', 'The hydrated session differs from its snapshot.');
}
