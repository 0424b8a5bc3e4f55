import { constants, open } from 'node:fs/promises';
import { hasCode } from '../../store/file/os-errors';
import { decodeUtf8 } from '../../store/utf8';

/** The content of a file, or the reason why there is none. */
export type ReadContent =
  | { readonly kind: 'content'; readonly bytes: Buffer; readonly executable: boolean }
  | { readonly kind: 'tooBig' | 'unreadable'; readonly size: number }
  | { readonly kind: 'gone' };

/** Without O_NOFOLLOW, a file that was replaced by a link after it was listed would be followed out of the folder. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads a regular file of at most `maxBytes` bytes, without following links. */
export async function readContent(path: string, maxBytes: number): Promise<ReadContent> {
  try {
    const handle = await open(path, flags);
    try {
      const found = await handle.stat();
      if (!found.isFile()) return { kind: 'gone' };
      if (found.size > maxBytes) return { kind: 'tooBig', size: found.size };
      const bytes = await handle.readFile();
      // The file may have grown since `stat`.
      if (bytes.length > maxBytes) return { kind: 'tooBig', size: bytes.length };
      return { kind: 'content', bytes, executable: (found.mode & 0o100) !== 0 };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO')) return { kind: 'gone' };
    if (hasCode(error, 'EACCES', 'EPERM')) return { kind: 'unreadable', size: 0 };
    throw error;
  }
}

/** Bytes searched for NUL, as many as git searches. A NUL byte further down does not make a text binary. */
const sniffedBytes = 8_192;

/**
 * Whether the content is binary. Anything that is not UTF-8 counts as binary, because it could not be written back
 * unchanged.
 */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, sniffedBytes).includes(0) || decodeUtf8(bytes) === undefined;
}
