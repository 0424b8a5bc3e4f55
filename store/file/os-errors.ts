import { StoreFullError, StoreUnavailableError } from '../../domain/store';

interface OsError {
  readonly code: string;
  readonly message: string;
}

/**
 * Recognizes an operating system error by its shape: `instanceof Error` fails for errors of another realm, such as a
 * test runner's.
 */
function isOsError(error: unknown): error is OsError {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error && 'message' in error;
}

/** Whether this is an operating system error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return isOsError(error) && codes.includes(error.code);
}

/** Converts an operating system error to a store error. Returns any other error unchanged, because it is a defect. */
function toStoreError(root: string, error: unknown): unknown {
  if (!isOsError(error)) return error;
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return new StoreFullError(root);
  return new StoreUnavailableError(root, error.message);
}

/** Runs `work` and throws its operating system errors as store errors. */
export async function mapOsErrors<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(root, error);
  }
}

/** Returns the result; undefined when the file or folder does not exist. */
export async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
