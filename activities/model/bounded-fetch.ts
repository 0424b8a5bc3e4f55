/** Thrown by the body of a response that is longer than the limit. */
class ResponseTooLargeError extends Error {
  constructor(limit: number) {
    super(`it is longer than ${limit} bytes`);
  }
}

type Fetch = typeof globalThis.fetch;

/**
 * Creates a `fetch` for a server that is not trusted. A body ends with an error after `maxBytes`, counted after it was
 * decompressed. Redirects are returned and not followed, because they would send the API key to another address.
 */
export function boundedFetch(maxBytes: number): Fetch {
  return async (url, init) => {
    const response = await globalThis.fetch(url, { ...init, redirect: 'manual' });
    const { status, statusText, headers, body } = response;
    if (body === null) return response;
    if (status < 200 || status > 599) {
      await body.cancel();
      throw new Error(`its status is ${status}`);
    }
    return new Response(body.pipeThrough(byteLimit(maxBytes)), { status, statusText, headers });
  };
}

function byteLimit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new ResponseTooLargeError(maxBytes);
      controller.enqueue(chunk);
    },
  });
}
