import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const algorithm = 'aes-256-gcm';
/** Length of a nonce in bytes, as NIST recommends for GCM. */
export const nonceBytes = 12;
const tagBytes = 16;
/** How much longer a sealed content is than what it contains. */
export const overheadBytes = nonceBytes + tagBytes;

/** Encrypts with AES-256-GCM. Returns nonce, ciphertext and tag, one after the other. */
export function encrypt(key: Uint8Array, nonce: Uint8Array, bytes: Uint8Array, context?: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  if (context !== undefined) cipher.setAAD(context);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `encrypt` returned; undefined if it was changed, or encrypted with another key or context. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, context?: Uint8Array): Buffer | undefined {
  if (sealed.byteLength < overheadBytes) return undefined;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(sealed.byteLength - tagBytes));
  if (context !== undefined) decipher.setAAD(context);
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Computes HMAC-SHA-256 over parts, each with its length, so that two lists of parts never look the same. */
export function keyedHash(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHmac('sha256', key);
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
    hash.update(`${bytes.byteLength}:`).update(bytes);
  }
  return hash.digest();
}
