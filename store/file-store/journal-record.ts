import { z } from 'zod';
import { sha256 } from '../digest';

const headerSchema = z.strictObject({ key: z.string(), sha256: z.string() });

/** A journal file: a line of JSON that says what it is and what its bytes hash to, then the bytes. */
export function encodeRecord(key: string, bytes: Uint8Array): Buffer {
  const header = JSON.stringify({ key, sha256: sha256(bytes) });
  return Buffer.concat([Buffer.from(`${header}\n`, 'utf8'), bytes]);
}

/** The bytes of a record; undefined when the file is not what was written under that key. */
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
