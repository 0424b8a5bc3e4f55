import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { cleanServerText, McpError } from '../../domain/mcp';
import type { TransportEnd } from './stdio-transport';

/** Thrown when a connection ended before an answer arrived. */
export class ConnectionEndedError extends Error {
  constructor(
    readonly end: TransportEnd,
    cause: unknown,
  ) {
    super('the connection ended', { cause });
  }
}

/** What was being done: the server was starting, or a call was in progress. */
export type Phase = 'start' | 'call';

/** Whether a server ended the connection because it did not understand the question for its version. */
export function isClosedDuringProbe(error: unknown): boolean {
  const cause = error instanceof ConnectionEndedError ? error.cause : error;
  return cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed && /closed/.test(cause.message);
}

/**
 * Whether the server may have rejected a request because it no longer knows the session: with 404, as the protocol says,
 * or with 400, as many do. Then it has not begun the request.
 */
export function isSessionLost(error: unknown): boolean {
  return error instanceof SdkHttpError && (error.status === 404 || error.status === 400);
}

/** Converts whatever the client threw to an error with a documented type and a complete sentence. */
export function explainError(server: string, error: unknown, phase: Phase): McpError {
  if (error instanceof McpError) return error;
  const named = `The MCP server "${server}"`;
  if (error instanceof ConnectionEndedError) return explainEnd(server, error.end, phase);
  if (isTimeout(error)) {
    return phase === 'start'
      ? new McpError('Mcp.Unavailable', server, `${named} did not answer in time.`)
      : new McpError('Mcp.Timeout', server, `${named} did not finish the call in time, and the call was cancelled.`);
  }
  if (error instanceof SdkHttpError) return new McpError('Mcp.Unavailable', server, `${named} ${httpReason(error)}.`);
  if (error instanceof ProtocolError) {
    const said = cleanServerText(error.message, maxQuote);
    const what = phase === 'start' ? 'refused the connection' : 'rejected the call';
    const type = phase === 'start' ? 'Mcp.Unavailable' : 'Mcp.InvalidResponse';
    return new McpError(type, server, `${named} ${what} (code ${error.code}): ${said}`);
  }
  if (error instanceof SdkError && invalidCodes.includes(error.code)) {
    return new McpError('Mcp.InvalidResponse', server, `${named} sent an invalid answer: ${reasonOf(error)}`);
  }
  return phase === 'start'
    ? new McpError('Mcp.Unavailable', server, `${named} could not be reached: ${reasonOf(error)}`)
    : new McpError(
        'Mcp.Interrupted',
        server,
        `The connection to the MCP server "${server}" was lost: ${reasonOf(error)}`,
      );
}

const maxQuote = 500;
const invalidCodes: readonly string[] = [
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
  SdkErrorCode.ListPaginationExceeded,
  SdkErrorCode.CapabilityNotSupported,
];

function explainEnd(server: string, end: TransportEnd, phase: Phase): McpError {
  const named = `The MCP server "${server}"`;
  if (end.kind === 'tooLarge') {
    const message = `${named} sent a message that is too large, and the connection was closed.`;
    return new McpError('Mcp.TooLarge', server, message);
  }
  const when = phase === 'start' ? 'before it was ready' : 'in the middle of the call';
  const type = phase === 'start' ? 'Mcp.Unavailable' : 'Mcp.Interrupted';
  if (end.kind === 'failed') return new McpError(type, server, `${named} could not be started: ${end.message}.`);
  if (end.kind === 'closed') return new McpError(type, server, `${named} was stopped ${when}.`);
  if (phase === 'start' && end.code === notFound)
    return new McpError(type, server, `${named} could not be started: its command was not found.`);
  const how = end.signal === null ? `exited with code ${end.code ?? 'unknown'}` : `was ended by ${end.signal}`;
  return new McpError(type, server, `${named} ${how} ${when}.`);
}

/** Exit code of a shell that did not find the command. */
const notFound = 127;

function isTimeout(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.RequestTimeout;
  return error instanceof Error && error.name === 'TimeoutError';
}

function httpReason({ status }: SdkHttpError): string {
  if (status === 401 || status === 403) return `denied access (HTTP ${status}); check its headers`;
  return `answered with HTTP ${status}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return cleanServerText(String(error), maxQuote);
  // `fetch` hides the reason in the cause.
  const cause = error.cause instanceof Error && error.cause.message !== '' ? error.cause : error;
  return cleanServerText(cause.message, maxQuote);
}
