import { type Api, RequestFailed } from '../api';
import type { ApiError, CommandAnswer, SearchFrame } from '../protocol';

/** Asks the server that the page came from. `onDenied` is called when it does not accept the key. */
export function liveApi(key: () => string, onDenied: () => void): Api {
  const request = async (path: string, options: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${key()}`, ...(options.headers as Record<string, string> | undefined) };
    const response = await fetch(`/api/${path}`, { ...options, headers, cache: 'no-store' }).catch((error: unknown) => {
      if (options.signal?.aborted === true) throw error;
      throw new RequestFailed(path, 0, notReached);
    });
    if (response.status === 401) onDenied();
    if (!response.ok) throw new RequestFailed(path, response.status, await errorOf(response));
    return response;
  };
  const read = (path: string, signal?: AbortSignal): Promise<Response> =>
    request(path, signal === undefined ? {} : { signal });

  return {
    recordedAt: null,
    get: async <T>(path: string, signal?: AbortSignal) => (await (await read(path, signal)).json()) as T,
    getText: async (path, signal) => (await read(path, signal)).text(),
    getBytes: async (path) => (await read(path)).blob(),
    search: async (path, onFrame, signal) => readLines(bodyOf(await read(path, signal)), onFrame),
    openStream: async (path, signal) => bodyOf(await read(path, signal)),
    post: async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const response = await request(path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as CommandAnswer;
    },
  };
}

const notReached: ApiError = {
  type: 'Page.NotConnected',
  message: 'The server does not answer.',
  remedy: 'Check that `baton ui` is running.',
};

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const error = JSON.parse(text) as Partial<ApiError>;
    return { type: error.type ?? 'Unknown', message: error.message ?? text, remedy: error.remedy ?? null };
  } catch {
    return { type: 'Unknown', message: text === '' ? response.statusText : text, remedy: null };
  }
}

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (body === null) throw new Error('The answer has no body');
  return body;
}

async function readLines(body: ReadableStream<Uint8Array>, onLine: (line: SearchFrame) => void): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(JSON.parse(line) as SearchFrame);
    if (!done) continue;
    if (rest !== '') onLine(JSON.parse(rest) as SearchFrame);
    return;
  }
}
