// Requests of the page. The live page asks the server that it came from; a recorded page has the answers inside.
import type { ApiError, CommandAnswer, SearchFrame } from './protocol';

/** A request that was answered with an error, or not at all. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';

  constructor(
    readonly request: string,
    /** Status of the answer; 0 if nobody answered. */
    readonly status: number,
    readonly answer: ApiError,
  ) {
    super(answer.message);
  }

  /** Everything that is known, for a report of a problem. */
  get details(): string {
    return `GET ${this.request} failed: ${this.status} ${this.answer.type}\n${this.answer.message}`;
  }
}

export interface Api {
  /** When the data was recorded, milliseconds since 1970; null in the live page. Nothing can be changed in a recording. */
  readonly recordedAt: number | null;
  /** Gets a path below /api/, such as `runs/r1/budget?agent=`. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** Gets a stored text. */
  getText(path: string, signal?: AbortSignal): Promise<string>;
  /** Gets the bytes of what is stored, text or not. */
  getBytes(path: string): Promise<Blob>;
  /** Searches the texts of all agents of a run. Hits arrive one by one. */
  search(path: string, onFrame: (frame: SearchFrame) => void, signal: AbortSignal): Promise<void>;
  /** Opens a stream of server-sent events. */
  openStream(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Sends a command, such as `runs/r1/pause`. */
  post(path: string, body: unknown): Promise<CommandAnswer>;
}

let chosen: Api | undefined;

/** Chooses where answers come from. Called once, before anything is drawn. */
export function useApi(api: Api): void {
  chosen = api;
}

/** The source of all data. */
export function api(): Api {
  if (chosen === undefined) throw new Error('No source of data was chosen');
  return chosen;
}

/** Path of a request about an agent of a run. Null and undefined parameters are left out. */
export function agentPath(
  run: string,
  what: 'entries' | 'prompt' | 'files' | 'artifacts' | 'budget' | 'events' | 'why' | 'search',
  params: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const given = Object.entries(params).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, String(value)]],
  );
  return `runs/${encodeURIComponent(run)}/${what}?${new URLSearchParams(given).toString()}`;
}

/** Path of the bytes of a stored text. */
export function blobPath(run: string, hash: string): string {
  return `blob/${encodeURIComponent(run)}/${hash}`;
}
