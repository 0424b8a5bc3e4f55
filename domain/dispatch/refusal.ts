import { DomainError } from '../errors';
import type { FailureType } from '../failure-types';
import { PromptError } from '../prompt';
import type { RefusedDelegation } from './prepared';

/** A dispatch tool was called with something that can't be carried out; the model is told field, reason and remedy. */
export class DispatchRefusedError extends DomainError {
  readonly type: FailureType;

  constructor(
    readonly field: string,
    readonly reason: string,
    readonly remedy: string,
    type: FailureType = 'Tool.ValidationError',
  ) {
    super(`${field}: ${reason}. ${remedy}`, { field, reason, remedy });
    this.type = type;
  }
}

/** What the model is told about a delegation that was not made; undefined for errors that are not its business. */
export function refusal(error: unknown, delegationId: string): RefusedDelegation | undefined {
  if (error instanceof DispatchRefusedError) return refused(error.type, error.message, delegationId);
  if (error instanceof PromptError) return refused(error.type, error.message, delegationId);
  return undefined;
}

function refused(type: FailureType, message: string, delegationId: string): RefusedDelegation {
  const cause = type === 'Tool.ValidationError' ? '' : ` (${type})`;
  return {
    ok: false,
    delegationId,
    type,
    message: `ToolValidationError${cause}: ${message} Nothing was started. [delegation_id ${delegationId}]`,
  };
}
