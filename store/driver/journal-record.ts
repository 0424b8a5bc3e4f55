import { z } from 'zod';
import type { JournalEntry } from '../../domain/store';
import { sha256 } from '../blobs';

const headerSchema = z.strictObject({ key: z.string(), sha256: z.string() });

/** Encodes a journal entry: one line of JSON with the key and the hash of the bytes, then the bytes. */
export function encodeRecord(key: string, bytes: Uint8Array): Buffer {
  const header = JSON.stringify({ key, sha256: sha256(bytes) });
  return Buffer.concat([Buffer.from(`${header}\n`, 'utf8'), bytes]);
}

/** Returns the key and the bytes of a journal entry; undefined when it is damaged. */
export function decodeRecord(content: Uint8Array): JournalEntry | undefined {
  const record = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const end = record.indexOf('\n');
  const header = parseHeader(record.toString('utf8', 0, Math.max(end, 0)));
  const bytes = record.subarray(end + 1);
  return header?.sha256 === sha256(bytes) ? { key: header.key, bytes } : undefined;
}

/** Names a journal entry by the kind of its key, so that one kind can be listed, and by the hash of the whole key. */
export function journalName(key: string): string {
  const [kind = ''] = key.split('/', 1);
  return /^[a-z-]{1,32}$/.test(kind) ? `${kind}.${sha256(key)}` : sha256(key);
}

function parseHeader(line: string): z.infer<typeof headerSchema> | undefined {
  try {
    return headerSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
