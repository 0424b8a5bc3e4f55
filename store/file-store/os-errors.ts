import { StoreFullError, StoreUnavailableError } from '../../domain/store/errors';

interface OsError {
  readonly code: string;
  readonly message: string;
}

/** Told by its shape: an error of the platform is not an `instanceof Error` of every realm (test runners have their own). */
function isOsError(error: unknown): error is OsError {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error && 'message' in error;
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return isOsError(error) && codes.includes(error.code);
}

/** What the operating system refused becomes a failure of the store; anything else is a defect and stays what it is. */
export function toStoreError(root: string, error: unknown): unknown {
  if (!isOsError(error)) return error;
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return new StoreFullError(root);
  return new StoreUnavailableError(root, error.message);
}

export async function asStoreErrors<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(root, error);
  }
}

/** The result, or undefined when the file or folder is not there. */
export async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
