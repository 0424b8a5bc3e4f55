import { closestName, DomainError } from '../kernel';
import type { SkillDefinition } from './skill-definition';

/** A diagnostic of a definition file, with its location. Lines and columns are 1-based. */
export interface Diagnostic {
  /** A file with an error is not used; a notice has no such effect. */
  readonly level: 'error' | 'notice';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Path of the field, such as `slice[0].tag`; empty for the file as a whole. */
  readonly field: string;
  readonly message: string;
}

/** The file format that a skill was loaded from. */
export type SkillFormat = 'baton' | 'claude-agent' | 'skill-folder';

/** A skill definition and the file it was loaded from. */
export interface LoadedSkill {
  readonly skill: SkillDefinition;
  readonly hash: string;
  readonly file: string;
  readonly format: SkillFormat;
  readonly from: 'shipped' | 'project';
}

/** The skills of a folder, and the diagnostics of its files. */
export interface SkillFolder {
  readonly skills: readonly LoadedSkill[];
  readonly findings: readonly Diagnostic[];
}

/** Loads the skills that are currently available. */
export type SkillLoader = () => Promise<readonly SkillDefinition[]>;

/** Formats a diagnostic as one line, `file:line:column: level: field: message`. */
export function formatDiagnostic({ level, file, line, column, field, message }: Diagnostic): string {
  return `${file}:${line}:${column}: ${level}: ${field === '' ? '' : `${field}: `}${message}`;
}

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
    const meant = closestName(skill, known);
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    super(`Unknown skill "${skill}".${hint} Available: ${known.join(', ') || 'none'}`, { skill, known });
  }
}
