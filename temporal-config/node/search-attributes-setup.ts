import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes';
import { searchAttributes } from '../search-attributes';
import { grpcStatus, grpcStatusOf } from './connection-failure';
import { ServerSetupError } from './setup-error';

/**
 * Which of Baton's search attributes a namespace has. Missing ones reduce what can be listed and filtered, but are not
 * an error.
 */
export interface SearchAttributesReport {
  /** Attributes that can be used now. */
  readonly registered: readonly string[];
  readonly missing: readonly string[];
  /** One sentence for each attribute that exists with a different type and can therefore neither be used nor added. */
  readonly conflicts: readonly string[];
  /** Commands with which an administrator can add the missing attributes. */
  readonly commands: readonly string[];
  /** Why the missing attributes could not be added. */
  readonly reason?: string;
}

interface Attribute {
  readonly name: string;
  readonly type: SearchAttributeType;
}

const wanted: readonly Attribute[] = Object.values(searchAttributes);
const rounds = 3;

/** Adds the attributes that the namespace is missing. Safe to repeat, and to run in several processes at once. */
export async function registerSearchAttributes(
  connection: Services,
  namespace: string,
): Promise<SearchAttributesReport> {
  let reason: string | undefined;
  for (let round = 0; round < rounds && reason === undefined; round += 1) {
    const missing = missingFrom(await listAttributes(connection, namespace, wanted));
    if (missing.length === 0) break;
    reason = await addAttributes(connection, namespace, missing);
  }
  return report(namespace, await listAttributes(connection, namespace, wanted), reason);
}

/** Checks the attributes without adding any, for `doctor` and for users who may not administer the namespace. */
export async function checkSearchAttributes(connection: Services, namespace: string): Promise<SearchAttributesReport> {
  return report(namespace, await listAttributes(connection, namespace, wanted), undefined);
}

/** Adds attributes. Returns the reason if that failed; undefined when it succeeded or another process was faster. */
async function addAttributes(
  connection: Services,
  namespace: string,
  missing: readonly Attribute[],
): Promise<string | undefined> {
  const types = missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type)] as const);
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(types) as never,
    });
    return undefined;
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    // `details` has the reason: for example a cloud namespace, missing admin rights, or no free attribute slots.
    return grpcStatusOf(error) === grpcStatus.alreadyExists ? undefined : error.details;
  }
}

function missingFrom(present: ReadonlyMap<string, SearchAttributeType>): Attribute[] {
  return wanted.filter(({ name }) => !present.has(name));
}

function report(
  namespace: string,
  present: ReadonlyMap<string, SearchAttributeType>,
  reason: string | undefined,
): SearchAttributesReport {
  const missing = missingFrom(present);
  const wrong = wanted.filter(({ name, type }) => present.has(name) && present.get(name) !== type);
  return {
    registered: wanted.filter(({ name, type }) => present.get(name) === type).map(({ name }) => name),
    missing: missing.map(({ name }) => name),
    conflicts: wrong.map(({ name, type }) => conflict(namespace, name, type, present.get(name))),
    commands: missing.length === 0 ? [] : [createCommand(namespace, missing)],
    ...(missing.length > 0 && reason !== undefined && { reason }),
  };
}

function conflict(namespace: string, name: string, type: SearchAttributeType, found?: SearchAttributeType): string {
  const [has, needs] = [
    found && TypedSearchAttributes.toMetadataType(found),
    TypedSearchAttributes.toMetadataType(type),
  ];
  return `Search attribute ${name} of namespace "${namespace}" has type ${has ?? 'unknown'}, but Baton needs ${needs}`;
}

/** Names of Temporal Cloud namespaces end in the account id. Their attributes are managed with a separate tool. */
const cloudNamespace = /\.[a-z0-9]{5}$/;

function createCommand(namespace: string, missing: readonly Attribute[]): string {
  const pairs = missing.map(({ name, type }) => [name, TypedSearchAttributes.toMetadataType(type)] as const);
  if (cloudNamespace.test(namespace)) {
    const flags = pairs.map(([name, type]) => `--search-attribute ${name}=${type}`);
    return `tcld namespace search-attributes add --namespace '${namespace}' ${flags.join(' ')}`;
  }
  const flags = pairs.map(([name, type]) => `--name ${name} --type ${type}`);
  return `temporal operator search-attribute create --namespace '${namespace}' ${flags.join(' ')}`;
}

/** The services that are used here. A client's and a worker's connection both have them. */
export type Services = Pick<Connection, 'operatorService' | 'workflowService'>;

type Present = ReadonlyMap<string, SearchAttributeType>;

interface ListedAttribute {
  readonly name: string;
  readonly type: SearchAttributeType;
}

/** Returns the custom search attributes of a namespace, by name. */
async function listAttributes(
  connection: Services,
  namespace: string,
  wanted: readonly ListedAttribute[],
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
  wanted: readonly ListedAttribute[],
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
