import type { FailureType } from './failure-types';

/**
 * A failure that the engine expects. It has a documented type (docs/reference/failure-types.md) and facts that may be
 * shown to anyone who may see the run.
 */
export abstract class DomainError extends Error {
  abstract readonly type: FailureType;
  readonly facts: JsonObject;

  constructor(message: string, facts: JsonObject = {}) {
    super(message);
    this.name = new.target.name;
    this.facts = facts;
  }
}

/** A value that cannot be represented as JSON. */
export class InvalidJsonError extends DomainError {
  readonly type = 'Input.Invalid';
}

/** Invalid input from a user, a program or a model. Names the field, the reason and the remedy. */
export class InvalidInputError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(
    readonly field: string,
    readonly reason: string,
    readonly remedy: string,
  ) {
    super(`${field}: ${reason}. ${remedy}`, { field, reason, remedy });
  }
}

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>;
