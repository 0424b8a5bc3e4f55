import { z } from 'zod';
import { sha256 } from '../digest';

const headerSchema = z.strictObject({ key: z.string(), sha256: z.string() });

/** Encodes a journal file: one line of JSON with the key and the hash of the bytes, then the bytes. */
export function encodeRecord(key: string, bytes: Uint8Array): Buffer {
  const header = JSON.stringify({ key, sha256: sha256(bytes) });
  return Buffer.concat([Buffer.from(`${header}\n`, 'utf8'), bytes]);
}

/** Returns the bytes of a journal file; undefined when it is damaged or was written for a different key. */
export function decodeRecord(key: string, file: Buffer): Uint8Array | undefined {
  const end = file.indexOf('\n');
  const header = parseHeader(file.toString('utf8', 0, Math.max(end, 0)));
  const bytes = file.subarray(end + 1);
  return header?.key === key && header.sha256 === sha256(bytes) ? bytes : undefined;
}

function parseHeader(line: string): z.infer<typeof headerSchema> | undefined {
  try {
    return headerSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
