import { DomainError } from '../errors';

/** A slice names a source that must be there and is not. */
export class MissingSourceError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(
    readonly skill: string,
    readonly source: string,
    readonly reason: string,
  ) {
    super(`Skill "${skill}" needs ${source}, which ${reason}`, { skill, source, reason });
  }
}

/** What a slice would inject is more than the skill allows. Nothing is cut: half a plan is worse than none. */
export class ContextTooLargeError extends DomainError {
  readonly type = 'Prompt.TooLarge';

  constructor(skill: string, tokens: number, limit: number, largest: string) {
    super(
      `The injected context of skill "${skill}" has about ${tokens} tokens, more than its limit of ${limit}; the largest part is ${largest}`,
      { skill, tokens, limit, largest },
    );
  }
}

/** The input of a skill is not what its schema asks for. */
export class InvalidSkillInputError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(
    readonly skill: string,
    readonly field: string,
    readonly reason: string,
  ) {
    super(`The input of skill "${skill}" is wrong: ${field}: ${reason}`, { skill, field, reason });
  }
}

export class UnknownSkillError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(skill: string, known: readonly string[]) {
    super(`There is no skill "${skill}". There are: ${known.join(', ') || 'none'}`, { skill, known });
  }
}
