import { isGrpcServiceError } from '@temporalio/client';
import { grpcStatus, statusOf } from '../server/grpc-status';
import { pause, probePort } from '../server/health';
import { reasonOf } from '../server/run-command';
import type { ResolvedConnection } from './connection';
import { ConnectionFailedError } from './errors';

/**
 * gRPC keeps trying a refused connection until its time is up; on this machine a second refusal is answer enough.
 * Elsewhere the port may be behind a proxy that only gRPC knows, so asking it directly would prove nothing.
 */
export async function requireLocalListener(target: ResolvedConnection): Promise<void> {
  const { address } = target.connectionOptions;
  if (!/^(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(address)) return;
  if ((await probePort(address, 1_000)) === undefined) return;
  await pause(500);
  const reason = await probePort(address, 1_000);
  if (reason !== undefined) throw await connectionFailed(target, new Error(reason));
}

/** Turns whatever a connection attempt threw into one sentence for people. Asks the port itself for the better reason. */
export async function connectionFailed(target: ResolvedConnection, error: unknown): Promise<ConnectionFailedError> {
  const { address } = target.connectionOptions;
  const nothingThere = await probePort(address, 1_000);
  const reason = nothingThere ?? (isGrpcServiceError(error) ? error.details : reasonOf(error));
  return new ConnectionFailedError(
    `Cannot connect to Temporal at ${address}: ${reason}`,
    remedyFor(target, error, nothingThere !== undefined),
  );
}

function remedyFor(target: ResolvedConnection, error: unknown, isUnreachable: boolean): string {
  const status = statusOf(error);
  if (status === grpcStatus.unauthenticated || status === grpcStatus.permissionDenied) {
    return `Check TEMPORAL_API_KEY or the client certificate, and that they may use namespace "${target.namespace}".`;
  }
  if (target.kind === 'dev') return 'The dev server may be ending or hanging: stop `baton dev` and start it again.';
  if (isUnreachable)
    return 'Check TEMPORAL_ADDRESS (host:port), and that the server runs and can be reached from here.';
  return target.connectionOptions.tls
    ? 'Something listens there: check that it speaks TLS, and the certificates (TEMPORAL_TLS_ variables).'
    : 'Something listens there: check that it is a Temporal server, and whether it wants TLS (TEMPORAL_TLS=true).';
}
