import { DomainError } from '../kernel/errors';

/** Thrown when a required source of a context slice is missing. */
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

/** Thrown when the injected context exceeds the skill's limit. Nothing is truncated: half a plan is worse than none. */
export class ContextTooLargeError extends DomainError {
  readonly type = 'Prompt.TooLarge';

  constructor(skill: string, tokens: number, limit: number, largest: string) {
    super(
      `The injected context of skill "${skill}" has about ${tokens} tokens, more than its limit of ${limit}; the largest part is ${largest}`,
      { skill, tokens, limit, largest },
    );
  }
}

/** Thrown when the input of a skill does not match its schema. */
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

/** Thrown when no skill has the requested name. */
export class UnknownSkillError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(skill: string, known: readonly string[]) {
    super(`Unknown skill "${skill}". Available: ${known.join(', ') || 'none'}`, { skill, known });
  }
}
