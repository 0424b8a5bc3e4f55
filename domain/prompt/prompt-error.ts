import { DomainError } from '../errors';
import type { FailureType } from '../failure-types';

export type PromptFailureType = Extract<FailureType, `Prompt.${string}` | 'Input.Invalid'>;

/** Why a prompt could not be defined, rendered or composed: which field is to blame, and what to do about it. */
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

/** A failed composition as the parent gets it: plain data, and nothing was started. */
export interface CompositionError {
  readonly type: PromptFailureType;
  readonly reason: string;
  readonly field: string;
  readonly remediation: string;
  readonly delegationId: string;
}

export function toCompositionError(error: PromptError, delegationId: string): CompositionError {
  const { type, reason, field, remediation } = error;
  return { type, reason, field, remediation, delegationId };
}
