import { isGrpcDeadlineError, isGrpcServiceError, isRetryableError, ServiceError } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { probePort } from '../dev-server/health';
import { errorReason } from '../dev-server/processes';
import type { ResolvedConnection } from './connection';
import { ConnectionFailedError } from './setup-error';

/**
 * Rejects at once if nothing listens at a local address; gRPC would keep retrying a refused connection until its
 * timeout. Two refusals are sufficient proof on this machine. Remote addresses are not probed, because they may be
 * reachable only through a proxy that gRPC knows.
 */
export async function requireLocalListener(target: ResolvedConnection): Promise<void> {
  const { address } = target.connectionOptions;
  if (!/^(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(address)) return;
  if ((await probePort(address, 1_000)) === undefined) return;
  await sleep(500);
  const reason = await probePort(address, 1_000);
  if (reason !== undefined) throw await connectionFailed(target, new Error(reason));
}

/**
 * Converts the error of a connection attempt to one sentence for users. Probes the port, because that gives a better
 * reason.
 */
export async function connectionFailed(target: ResolvedConnection, error: unknown): Promise<ConnectionFailedError> {
  const { address } = target.connectionOptions;
  const unreachable = await probePort(address, 1_000);
  const reason = unreachable ?? (isGrpcServiceError(error) ? error.details : errorReason(error));
  return new ConnectionFailedError(
    `Cannot connect to Temporal at ${address}: ${reason}`,
    remedyFor(target, error, unreachable !== undefined),
  );
}

function remedyFor(target: ResolvedConnection, error: unknown, isUnreachable: boolean): string {
  const status = grpcStatusOf(error);
  if (status === grpcStatus.unauthenticated || status === grpcStatus.permissionDenied) {
    return `Check TEMPORAL_API_KEY or the client certificate, and that they may use namespace "${target.namespace}".`;
  }
  if (target.kind === 'dev')
    return 'The dev server may be shutting down or unresponsive. Stop `baton dev` and start it again.';
  if (isUnreachable)
    return 'Check TEMPORAL_ADDRESS (host:port), and that the server is running and reachable from this machine.';
  return target.connectionOptions.tls
    ? 'Something is listening there. Check that it uses TLS, and check the certificates (TEMPORAL_TLS_ variables).'
    : 'Something is listening there. Check that it is a Temporal server, and whether it requires TLS (TEMPORAL_TLS=true).';
}

/** The gRPC status codes used here. The library that names them is not a dependency. */
export const grpcStatus = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  failedPrecondition: 9,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

/** Whether a request failed because the server did not answer, so that it may succeed later. */
export function isServerUnavailable(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && (isRetryableError(cause) || isGrpcDeadlineError(cause));
}

/** Returns the gRPC status of an error; undefined when it is not a gRPC error. */
export function grpcStatusOf(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}
