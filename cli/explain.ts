import { isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { CommanderError } from 'commander';
import { BatonError, type BatonErrorType } from '../client/client-errors';
import { DomainError } from '../domain/kernel';
import { StoreError } from '../domain/store';
import { grpcStatus, grpcStatusOf } from '../temporal-config/node/connection-failure';
import { SetupError } from '../temporal-config/node/setup-error';
import { CliError, type ExitCode, exitCodes } from './context';

/** What the program says about an error, and its exit code. */
export interface Explanation {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly remedy?: string;
  /** Failure type, such as `Client.NotFound`; only for errors of the library. */
  readonly type?: string;
  /** Set when commander has printed the message already. */
  readonly isPrinted?: true;
  /** Where a defect happened. Shown only on request, because it means nothing to a user. */
  readonly stack?: string;
}

const connectionRemedy = 'Check the connection with: baton doctor';
const listRemedy = 'List runs with: baton list';

/** Remedy for a store that can't be used. */
export const storeRemedy = 'Check the disk or the server of the store, or name another store with BATON_STORE.';

const keyRemedy = 'Add the key to BATON_ENCRYPTION_KEYS.';

/** Exit codes of the library's errors. The library itself knows nothing about processes. */
const batonExitCodes: Readonly<Record<BatonErrorType, ExitCode>> = {
  'Client.NotFound': exitCodes.failed,
  'Client.NoWorkspace': exitCodes.failed,
  'Client.NoIncident': exitCodes.failed,
  'Client.Refused': exitCodes.failed,
  'Client.Ambiguous': exitCodes.misused,
  'Client.ParentMovedOn': exitCodes.misused,
  'Client.NotApplicable': exitCodes.misused,
  'Client.InvalidCursor': exitCodes.misused,
  'Client.NoWorker': exitCodes.unavailable,
};

/** Explains an error in plain words. Expected errors come with a remedy; anything else is a defect of Baton. */
export function explain(error: unknown): Explanation {
  if (error instanceof CommanderError) return fromCommander(error);
  if (error instanceof BatonError) {
    return { ...explanation(batonExitCodes[error.type], error.message, error.remedy), type: error.type };
  }
  if (error instanceof CliError) return explanation(error.exitCode, error.message, error.remedy);
  if (error instanceof SetupError) return explanation(exitCodes.unavailable, error.message, error.remedy);
  if (error instanceof DomainError) return { ...fromDomain(error), type: error.type };
  return fromServer(error) ?? fromSystem(error) ?? fromDefect(error);
}

function fromCommander({ exitCode, message }: CommanderError): Explanation {
  const isHelp = message === '(outputHelp)';
  return {
    exitCode: exitCode === 0 ? exitCodes.ok : exitCodes.misused,
    message: isHelp ? 'No command was given.' : message.replace(/^error: /, ''),
    isPrinted: true,
  };
}

function fromDomain(error: DomainError): Explanation {
  if (error.type === 'Input.Invalid') return explanation(exitCodes.misused, error.message);
  // A damaged blob is a failure of the run. A store that can't be used at all is a setup problem.
  if (error.type === 'Encryption.KeyMissing') return explanation(exitCodes.unavailable, error.message, keyRemedy);
  const isSetup = error.type === 'Store.Unavailable' || error.type === 'Store.Full';
  if (error instanceof StoreError && isSetup) return explanation(exitCodes.unavailable, error.message, storeRemedy);
  return explanation(exitCodes.failed, error.message);
}

function fromServer(error: unknown): Explanation | undefined {
  if (error instanceof NamespaceNotFoundError) {
    return explanation(exitCodes.unavailable, error.message, 'Check TEMPORAL_NAMESPACE, or create the namespace.');
  }
  if (error instanceof WorkflowNotFoundError) {
    return explanation(exitCodes.failed, `"${error.workflowId}" does not exist.`, listRemedy);
  }
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause)) {
    return error instanceof ServiceError ? requestFailed(error.message) : undefined;
  }
  return grpcStatusOf(cause) === grpcStatus.notFound
    ? explanation(exitCodes.failed, `The server does not have it: ${cause.details}`, listRemedy)
    : requestFailed(cause.details);
}

function requestFailed(reason: string): Explanation {
  return explanation(exitCodes.unavailable, `The Temporal request failed: ${reason}`, connectionRemedy);
}

/** Explains a refusal of the operating system, such as a folder that may not be read. */
function fromSystem(error: unknown): Explanation | undefined {
  const { syscall, message } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (syscall === undefined || message === undefined) return undefined;
  return explanation(exitCodes.failed, message, 'Check the path, its permissions and the disk.');
}

function fromDefect(error: unknown): Explanation {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    exitCode: exitCodes.failed,
    message: `Baton failed unexpectedly: ${message}`,
    remedy: 'This is a defect in Baton. Set BATON_LOG_LEVEL=DEBUG to see where it happened, and report it.',
    ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}),
  };
}

function explanation(exitCode: ExitCode, message: string, remedy?: string): Explanation {
  return { exitCode, message, ...(remedy === undefined ? {} : { remedy }) };
}
