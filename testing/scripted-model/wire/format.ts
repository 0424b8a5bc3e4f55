/** An error as a response or a stream reports it. */
export interface ReportedError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** Further fields that some APIs report. */
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}

/** How an API writes what is not part of a reply. */
export interface WireFormat {
  /** Body of an error response. */
  errorBody(error: ReportedError, requestId: string): object;
  /** Text that reports an error in the middle of a stream. */
  streamError(error: ReportedError, requestId: string): string;
  /** Text that keeps a stream alive while the model is slow. */
  readonly keepAlive: string;
}

/** A part of a stream, as it is sent. */
export interface WireEvent {
  readonly text: string;
  /** Whether it contains a piece of the reply, before which a slow model pauses. */
  readonly isDelta: boolean;
  /** Whether the reply is complete with it. */
  readonly isLast: boolean;
}

/** A reply in the format of its API. */
export interface BuiltReply {
  /** The reply as one JSON document. */
  readonly whole: object;
  /** The reply as a stream. */
  events(chunkSize: number): Iterable<WireEvent>;
}

/** Splits a text by code points, so that no chunk ends in the middle of a character. */
export function* chunksOf(text: string, size: number): Generator<string> {
  const points = Array.from(text);
  for (let at = 0; at < points.length; at += size) yield points.slice(at, at + size).join('');
}
