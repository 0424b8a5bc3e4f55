import type { Connection } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes';
import { ServerSetupError } from './errors';
import { grpcStatus, statusOf } from './grpc-status';

/** A client's connection or a worker's: both have these. */
export type Services = Pick<Connection, 'operatorService' | 'workflowService'>;

type Present = ReadonlyMap<string, SearchAttributeType>;

interface Attribute {
  readonly name: string;
  readonly type: SearchAttributeType;
}

/** The custom search attributes of a namespace, by name. */
export async function listAttributes(
  connection: Services,
  namespace: string,
  wanted: readonly Attribute[],
): Promise<Present> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return new Map(Object.entries(customAttributes).flatMap(([name, code]) => pair(name, code)));
  } catch (error) {
    const status = statusOf(error);
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

/** Who may not list can still query, and a query with an unknown attribute is refused. The type is then taken on trust. */
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
      if (statusOf(error) === grpcStatus.notFound) throw noSuchNamespace(namespace);
      if (statusOf(error) !== grpcStatus.invalidArgument) throw error;
    }
  }
  return present;
}

function noSuchNamespace(namespace: string): ServerSetupError {
  return new ServerSetupError(
    `The Temporal server has no namespace "${namespace}"`,
    `Check TEMPORAL_NAMESPACE and the profile, or create it: temporal operator namespace create --namespace '${namespace}'`,
  );
}
