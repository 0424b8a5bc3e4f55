import { createReadStream } from 'node:fs';
import { formatBytes } from '../client/format';

/** Maximum size of a document that a command reads. A device such as /dev/zero never ends. */
const maxBytes = 64 * 1024 * 1024;

/** Reads a file of any kind, also a pipe, up to a limit. Throws an `Error` whose message is the reason. */
export async function readInputFile(path: string): Promise<Buffer> {
  return readAll(createReadStream(path));
}

/** Reads a stream to its end. Throws an `Error` if it is larger than the limit. */
export async function readAll(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk as Uint8Array);
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error(`it is larger than ${formatBytes(maxBytes)}`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
