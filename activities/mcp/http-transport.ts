import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { HttpServerConfig } from '../../domain/mcp';

/**
 * Creates the connection to a server over streamable HTTP. `onTooLarge` is called when a response is longer than
 * `maxMessageBytes`, after it was decompressed; its body then ends with an error.
 */
export function httpTransport(
  { url, headers }: HttpServerConfig,
  maxMessageBytes: number,
  onTooLarge: () => void,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      const { status, statusText, headers: received, body } = response;
      if (body === null || status < 200) return response;
      const limited = body.pipeThrough(byteLimit(maxMessageBytes, onTooLarge));
      return new Response(limited, { status, statusText, headers: received });
    },
  });
}

/** Counts the bytes since the last line break, which ends a message in a stream of events. */
function byteLimit(maxBytes: number, onTooLarge: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const at = chunk.lastIndexOf(newline);
      bytes = at === -1 ? bytes + chunk.byteLength : chunk.byteLength - at;
      if (bytes > maxBytes) {
        onTooLarge();
        throw new Error(`the response is longer than ${maxBytes} bytes`);
      }
      controller.enqueue(chunk);
    },
  });
}

const newline = 10;
