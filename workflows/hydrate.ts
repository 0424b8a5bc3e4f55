import { DomainError } from '../domain/errors';
import { hydrate, snapshot, type Session, type SessionSchema, type SessionSnapshot } from '../domain/session';
import { failure } from './failures';

/** All or nothing, and then compared: a session that is anything else than what was handed over must not be used. */
export function hydrated(schema: SessionSchema, from: SessionSnapshot): Session {
  try {
    const session = hydrate(schema, from);
    if (JSON.stringify(snapshot(schema, session).slices) === JSON.stringify(from.slices)) return session;
  } catch (error) {
    if (error instanceof DomainError) throw failure(error.type, error.message);
    throw error;
  }
  throw failure('Session.SnapshotIncompatible', 'The hydrated session is not the one that was handed over.');
}
