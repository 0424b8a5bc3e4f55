import { isGrpcServiceError } from '@temporalio/client';

/** The gRPC status codes that mean something here; the library with their names is not a dependency of ours. */
export const grpcStatus = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  failedPrecondition: 9,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

/** What the server answered an RPC with; undefined when the error is of another kind. */
export function statusOf(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}
