import type { FailureType } from './failure-types';
import type { JsonObject } from './json-value';

/** A failure the engine expects: it has a documented type, and facts that may be shown to anyone who may see the run. */
export abstract class DomainError extends Error {
  abstract readonly type: FailureType;
  readonly facts: JsonObject;

  constructor(message: string, facts: JsonObject = {}) {
    super(message);
    this.name = new.target.name;
    this.facts = facts;
  }
}

export class InvalidJsonError extends DomainError {
  readonly type = 'Input.Invalid';
}

/** Something a user, a program or a model handed in is wrong; says which field, and what to do about it. */
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
