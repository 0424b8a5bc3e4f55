import type { Connection } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes';
import { ServerSetupError } from './errors';
import { grpcStatus, grpcStatusOf } from './grpc-status';

/** The services that are used here. A client's and a worker's connection both have them. */
export type Services = Pick<Connection, 'operatorService' | 'workflowService'>;

type Present = ReadonlyMap<string, SearchAttributeType>;

interface Attribute {
  readonly name: string;
  readonly type: SearchAttributeType;
}

/** Returns the custom search attributes of a namespace, by name. */
export async function listAttributes(
  connection: Services,
  namespace: string,
  wanted: readonly Attribute[],
): Promise<Present> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return new Map(Object.entries(customAttributes).flatMap(([name, code]) => pair(name, code)));
  } catch (error) {
    const status = grpcStatusOf(error);
    if (status === grpcStatus.notFound) throw noSuchNamespace(namespace);
    if (status === grpcStatus.permissionDenied || status === grpcStatus.unimplemented) {
      return probeAttributes(connection, namespace, wanted);
    }
    throw error;
  }
}

function pair(name: string, code: number): [string, SearchAttributeType][] {
  const type = Object.values(SearchAttributeType).find(
    (each) => Number(encodeSearchAttributeIndexedValueType(each)) === code,
  );
  return type === undefined ? [] : [[name, type]];
}

/**
 * Detects attributes by querying, for users who may not list them: a query with an unknown attribute is rejected. Types
 * cannot be checked this way and are assumed to be right.
 */
async function probeAttributes(
  connection: Services,
  namespace: string,
  wanted: readonly Attribute[],
): Promise<Present> {
  const present = new Map<string, SearchAttributeType>();
  for (const { name, type } of wanted) {
    const query = `${name} = ${type === SearchAttributeType.INT ? '0' : '"none"'}`;
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query });
      present.set(name, type);
    } catch (error) {
      if (grpcStatusOf(error) === grpcStatus.notFound) throw noSuchNamespace(namespace);
      if (grpcStatusOf(error) !== grpcStatus.invalidArgument) throw error;
    }
  }
  return present;
}

function noSuchNamespace(namespace: string): ServerSetupError {
  return new ServerSetupError(
    `Namespace "${namespace}" does not exist on the Temporal server`,
    `Check TEMPORAL_NAMESPACE and the profile, or create it: temporal operator namespace create --namespace '${namespace}'`,
  );
}
