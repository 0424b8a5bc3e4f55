import { z } from 'zod';

/**
 * The server and the namespace that a run's workflows run in. The ids are random and created together with the server's
 * database, so they also tell apart two servers that had the same address.
 */
export const runPlaceSchema = z.object({
  /** Empty if the server does not tell. */
  clusterId: z.string(),
  namespaceId: z.string(),
  /** Name of the namespace, for people. Namespaces are compared by id, because a deleted name can be used again. */
  namespace: z.string(),
});
export type RunPlace = Readonly<z.infer<typeof runPlaceSchema>>;

/** Whether these are the same namespace of the same server. */
export function isSamePlace(a: RunPlace, b: RunPlace): boolean {
  return a.clusterId === b.clusterId && a.namespaceId === b.namespaceId;
}

/** Describes a place for people. */
export function formatPlace({ clusterId, namespaceId, namespace }: RunPlace): string {
  return `namespace "${namespace}" (${namespaceId}) of cluster ${clusterId === '' ? 'unknown' : clusterId}`;
}
