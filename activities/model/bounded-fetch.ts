/** Thrown by the body of a response that is longer than the limit. */
class ResponseTooLargeError extends Error {
  constructor(limit: number) {
    super(`it is longer than ${limit} bytes`);
  }
}

type Fetch = typeof globalThis.fetch;

/** Those who listen to a call in progress. */
interface Listener {
  /** Called whenever something has arrived. */
  readonly refresh: () => void;
  /** Called with the headers of the response, whatever its status. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

/** Calls in progress, by the signal with which they are made. */
const listeners = new WeakMap<AbortSignal, Listener>();

/**
 * Lets every byte that arrives for a call count as a sign of life, also those that an SDK does not report, such as
 * comments that keep a stream open. Also tells the headers of its response.
 */
export function listenWhileReading(signal: AbortSignal, listener: Listener): void {
  listeners.set(signal, listener);
}

/**
 * Creates a `fetch` for a server that is not trusted. A body ends with an error after `maxBytes`, counted after it was
 * decompressed. Redirects are returned and not followed, because they would send the API key to another address.
 */
export function boundedFetch(maxBytes: number): Fetch {
  return async (url, init) => {
    const response = await globalThis.fetch(url, { ...init, redirect: 'manual' });
    const { status, statusText, headers, body } = response;
    const listener = init?.signal ? listeners.get(init.signal) : undefined;
    listener?.onHeaders?.(headers);
    if (body === null) return response;
    if (status < 200 || status > 599) {
      await body.cancel();
      throw new Error(`its status is ${status}`);
    }
    return new Response(body.pipeThrough(byteLimit(maxBytes, listener?.refresh)), { status, statusText, headers });
  };
}

function byteLimit(maxBytes: number, refresh?: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      refresh?.();
      if (bytes > maxBytes) throw new ResponseTooLargeError(maxBytes);
      controller.enqueue(chunk);
    },
  });
}
