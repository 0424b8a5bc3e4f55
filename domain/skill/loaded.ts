import type { SkillDefinition } from './definition';

/** Something a reader of skill files should know, and where. Lines and columns count from 1. */
export interface SkillFinding {
  /** An error keeps the file from being used; a notice does not. */
  readonly level: 'error' | 'notice';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Written as `slice[0].tag`; empty for the file as a whole. */
  readonly field: string;
  readonly message: string;
}

export type SkillFormat = 'baton' | 'claude-agent' | 'skill-folder';

/** A skill, and where it is from. */
export interface LoadedSkill {
  readonly skill: SkillDefinition;
  readonly hash: string;
  readonly file: string;
  readonly format: SkillFormat;
  readonly from: 'shipped' | 'project';
}

export interface SkillFolder {
  readonly skills: readonly LoadedSkill[];
  readonly findings: readonly SkillFinding[];
}

/** The skills that there are at this moment. */
export type SkillLoader = () => Promise<readonly SkillDefinition[]>;

export function showFinding({ level, file, line, column, field, message }: SkillFinding): string {
  return `${file}:${line}:${column}: ${level}: ${field === '' ? '' : `${field}: `}${message}`;
}

export function fieldOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
