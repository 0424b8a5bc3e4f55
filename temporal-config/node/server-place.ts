import type { Client } from '@temporalio/client';
import { grpcStatus, grpcStatusOf } from './connection-failure';

/** A namespace of a server, by the random ids that were created together with the server's database. */
export interface ServerPlace {
  /** Empty if the server does not tell. */
  readonly clusterId: string;
  readonly namespaceId: string;
  readonly namespace: string;
  /** Time for which the server keeps the history of a closed execution, in milliseconds. */
  readonly retentionMs: number;
}

/**
 * Asks the server for its identity. Undefined if the client may not ask: then nothing can be said about where it is
 * connected to. Throws if the server does not respond.
 */
export async function readServerPlace(
  client: Client,
  namespace: string = client.options.namespace,
): Promise<ServerPlace | undefined> {
  const described = await unlessRefused(client.workflowService.describeNamespace({ namespace }));
  const namespaceId = described?.namespaceInfo?.id ?? '';
  if (namespaceId === '') return undefined;
  const cluster = await unlessRefused(client.workflowService.getClusterInfo({}));
  const retention = described?.config?.workflowExecutionRetentionTtl?.seconds;
  return {
    clusterId: cluster?.clusterId ?? '',
    namespaceId,
    namespace,
    retentionMs: Number(String(retention ?? 0)) * 1_000,
  };
}

const refusals: readonly (number | undefined)[] = [
  grpcStatus.permissionDenied,
  grpcStatus.unauthenticated,
  grpcStatus.unimplemented,
];

async function unlessRefused<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (refusals.includes(grpcStatusOf(error))) return undefined;
    throw error;
  }
}

/** Returns a function that asks once, and again only if the server did not respond. */
export function serverPlaceOnce(client: Client, namespace: string): () => Promise<ServerPlace | undefined> {
  let known: Promise<ServerPlace | undefined> | undefined;
  return () => {
    known ??= readServerPlace(client, namespace).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
