import { DomainError, type FailureType } from '../kernel';

/** Failure types that a `PromptError` may have. */
export type PromptFailureType = Extract<FailureType, `Prompt.${string}` | 'Input.Invalid'>;

/** Thrown when a prompt cannot be defined, rendered or composed. States the field, the reason and a remedy. */
export class PromptError extends DomainError {
  constructor(
    readonly type: PromptFailureType,
    readonly field: string,
    readonly reason: string,
    readonly remediation: string,
  ) {
    super(`${field}: ${reason}. ${remediation}`, { field, reason, remediation });
  }
}

/** The error of a failed composition, as plain data for the parent. */
export interface CompositionError {
  readonly type: PromptFailureType;
  readonly reason: string;
  readonly field: string;
  readonly remediation: string;
  readonly delegationId: string;
}

/** Converts a `PromptError` to plain data and adds the delegation id. */
export function toCompositionError(error: PromptError, delegationId: string): CompositionError {
  const { type, reason, field, remediation } = error;
  return { type, reason, field, remediation, delegationId };
}
