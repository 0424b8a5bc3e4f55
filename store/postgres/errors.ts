import { StoreFullError, StoreUnavailableError } from '../../domain/store';

/** Code of PostgreSQL for a disk without space. */
const diskFull = '53100';

/**
 * Classes of codes that point to a mistake in our own statements or values, not to the state of the server. Retrying
 * would not help.
 */
const defects = /^(?:22|23|42(?!501|P01))/;

/** Names what to do about some codes. */
const hints: Readonly<Record<string, string>> = {
  '3F000': 'the schema does not exist; run `baton store migrate`',
  '42P01': 'its tables are missing; run `baton store migrate`',
};

/**
 * Converts an error of the database or of the connection to a store error. Whatever the server or the network refuses
 * at the moment may work later, after a restart, a failover or a repair. Returns an error of ours unchanged.
 */
export function toStoreError(location: string, error: unknown): unknown {
  if (!isErrorLike(error) || 'type' in error) return error;
  const code = sqlState(error);
  if (code === diskFull) return new StoreFullError(location);
  if (code !== undefined && defects.test(code)) return error;
  // Several addresses of a host were tried; each has its reason.
  const reasons =
    'errors' in error && Array.isArray(error.errors) ? (error.errors as unknown[]).filter(isErrorLike) : [];
  const reason = reasons.length > 0 ? reasons.map(({ message }) => message).join('; ') : error.message;
  return new StoreUnavailableError(location, (code && hints[code]) ?? reason);
}

/** Returns the code that PostgreSQL gave an error; undefined if the error has another origin. */
export function sqlState(error: unknown): string | undefined {
  if (!isErrorLike(error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Recognizes an error by its shape: `instanceof Error` fails for errors of another realm, such as a test runner's. */
function isErrorLike(error: unknown): error is { readonly message: string } {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
}
