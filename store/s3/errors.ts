import { StoreFullError, StoreUnavailableError } from '../../domain/store';

/** What the client of S3 adds to an error. */
interface S3Error {
  readonly name: string;
  readonly message: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const full: ReadonlySet<string> = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull']);
const denied: ReadonlySet<string> = new Set([
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'Forbidden',
]);

/** Whether the object does not exist. A missing bucket is something else. */
export function isMissing(error: unknown): boolean {
  if (!isS3Error(error) || error.name === 'NoSuchBucket') return false;
  return ['NoSuchKey', 'NotFound'].includes(error.name) || error.$metadata?.httpStatusCode === 404;
}

/** Whether the object exists already. */
export function isTaken(error: unknown): boolean {
  return isS3Error(error) && (error.name === 'PreconditionFailed' || error.$metadata?.httpStatusCode === 412);
}

/** Whether another request is writing the object at the moment. Nobody knows yet whether it will succeed. */
export function isContended(error: unknown): boolean {
  return isS3Error(error) && error.$metadata?.httpStatusCode === 409;
}

/**
 * Converts an error of the server or of the connection to a store error. Whatever the server refuses at the moment may
 * work later. Returns an error of ours unchanged.
 */
export function toStoreError(location: string, bucket: string, error: unknown): unknown {
  if (!isS3Error(error) || 'type' in error) return error;
  const { name, message, $metadata: { httpStatusCode: status } = {} } = error;
  if (full.has(name) || status === 507) return new StoreFullError(location);
  if (name === 'NoSuchBucket') return new StoreUnavailableError(location, `the bucket "${bucket}" does not exist`);
  if (name === 'CredentialsProviderError')
    return new StoreUnavailableError(
      location,
      'credentials are missing; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  if (denied.has(name) || status === 401 || status === 403)
    return new StoreUnavailableError(location, `access is denied (${name}: ${message})`);
  return new StoreUnavailableError(location, `${name}: ${message}`);
}

/** Recognizes an error by its shape: `instanceof Error` fails for errors of another realm, such as a test runner's. */
function isS3Error(error: unknown): error is S3Error {
  return typeof error === 'object' && error !== null && 'message' in error && 'name' in error;
}
