import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 in lower-case hex. Uses the platform's implementation, which is tens of times faster than the
 * pure JavaScript one that the workflow sandbox needs.
 */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
