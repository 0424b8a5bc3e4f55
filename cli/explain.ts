import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { CommanderError } from 'commander';
import { BatonError, type BatonErrorType } from '../client/client-errors';
import { DomainError } from '../domain/kernel';
import { StoreError } from '../domain/store';
import { SetupError } from '../temporal-config/node/setup-error';
import { CliError, type ExitCode, exitCodes } from './context';

/** The program's output about an error, and its exit code. */
export interface Explanation {
  /** Output for standard error; undefined when it was printed already. For a defect it is the error with its stack. */
  readonly output: unknown;
  readonly exitCode: ExitCode;
}

const connectionRemedy = 'Check the connection with: baton doctor';

/** Remedy for a store that can't be used. */
export const storeRemedy = 'Check the folder and its disk, or set BATON_STORE_DIR to another folder.';

/** Exit codes of the library's errors. The library itself knows nothing about processes. */
const batonExitCodes: Readonly<Record<BatonErrorType, ExitCode>> = {
  'Client.NotFound': exitCodes.failed,
  'Client.NoWorkspace': exitCodes.failed,
  'Client.NoIncident': exitCodes.failed,
  'Client.Refused': exitCodes.failed,
  'Client.Ambiguous': exitCodes.misused,
  'Client.NotApplicable': exitCodes.misused,
  'Client.InvalidCursor': exitCodes.misused,
  'Client.NoWorker': exitCodes.unavailable,
};

/** Explains an error. Expected errors become a message with a remedy; only a defect shows its stack. */
export function explain(error: unknown): Explanation {
  if (error instanceof CommanderError) {
    return { output: undefined, exitCode: error.exitCode === 0 ? exitCodes.ok : exitCodes.misused };
  }
  if (error instanceof BatonError) return explanation(batonExitCodes[error.type], error.message, error.remedy);
  if (error instanceof CliError) return explanation(error.exitCode, error.message, error.remedy);
  if (error instanceof SetupError) return explanation(exitCodes.unavailable, error.message, error.remedy);
  if (error instanceof DomainError) return fromDomain(error);
  if (error instanceof NamespaceNotFoundError) {
    return explanation(exitCodes.unavailable, error.message, 'Check TEMPORAL_NAMESPACE, or create the namespace.');
  }
  if (error instanceof ServiceError) {
    const reason = isGrpcServiceError(error.cause) ? error.cause.details : error.message;
    return explanation(exitCodes.unavailable, `The Temporal request failed: ${reason}`, connectionRemedy);
  }
  return { output: error, exitCode: exitCodes.failed };
}

function fromDomain(error: DomainError): Explanation {
  if (error.type === 'Input.Invalid') return explanation(exitCodes.misused, error.message);
  // A damaged blob is a failure of the run. A store that can't be used at all is a setup problem.
  const isSetup = error.type === 'Store.Unavailable' || error.type === 'Store.Full';
  if (error instanceof StoreError && isSetup) return explanation(exitCodes.unavailable, error.message, storeRemedy);
  return explanation(exitCodes.failed, error.message);
}

function explanation(exitCode: ExitCode, message: string, remedy?: string): Explanation {
  return { output: remedy === undefined ? message : `${message}\n${remedy}`, exitCode };
}
