import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { CommanderError } from 'commander';
import { DomainError } from '../domain/errors';
import { StoreError } from '../domain/store/errors';
import { SetupError } from '../temporal-config/server/errors';
import { CliError, exitCodes, type ExitCode } from './cli';

export interface Explanation {
  /** For standard error; undefined when it was said already. A defect keeps its stack. */
  readonly said: unknown;
  readonly exitCode: ExitCode;
}

/** What a person can do about a store that doesn't work. */
export const storeRemedy = 'Look at the folder and its disk, or choose another one with BATON_STORE_DIR.';

/** Expected ends are told in words; only a defect shows a stack. */
export function explain(error: unknown): Explanation {
  if (error instanceof CommanderError) {
    return { said: undefined, exitCode: error.exitCode === 0 ? exitCodes.ok : exitCodes.misused };
  }
  if (error instanceof CliError) return told(error.exitCode, error.message, error.remedy);
  if (error instanceof SetupError) return told(exitCodes.unavailable, error.message, error.remedy);
  if (error instanceof DomainError) return fromDomain(error);
  if (error instanceof NamespaceNotFoundError) {
    return told(exitCodes.unavailable, error.message, 'Check TEMPORAL_NAMESPACE, or create the namespace.');
  }
  if (error instanceof ServiceError) {
    const reason = isGrpcServiceError(error.cause) ? error.cause.details : error.message;
    return told(exitCodes.unavailable, `Temporal did not do it: ${reason}`, 'See what works with: baton doctor');
  }
  return { said: error, exitCode: exitCodes.failed };
}

function fromDomain(error: DomainError): Explanation {
  if (error.type === 'Input.Invalid') return told(exitCodes.misused, error.message);
  // A damaged content is a failure of the run; a store that doesn't work at all is something to set right.
  const isSetup = error.type === 'Store.Unavailable' || error.type === 'Store.Full';
  if (error instanceof StoreError && isSetup) return told(exitCodes.unavailable, error.message, storeRemedy);
  return told(exitCodes.failed, error.message);
}

function told(exitCode: ExitCode, message: string, remedy?: string): Explanation {
  return { said: remedy === undefined ? message : `${message}\n${remedy}`, exitCode };
}
