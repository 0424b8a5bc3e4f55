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

/** Formats the path of a field, such as `slice[0].tag`. */
export function formatFieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
