import { isGrpcServiceError } from '@temporalio/client';

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

/** Returns the gRPC status of an error; undefined when it is not a gRPC error. */
export function grpcStatusOf(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}
