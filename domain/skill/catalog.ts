import { mergeByName } from './by-name';
import { UnknownSkillError } from './errors';
import type { LoadedSkill, Diagnostic, SkillFolder } from './loaded-skill';

/** All available skills. `get` throws an `UnknownSkillError` for an unknown name. */
export interface SkillCatalog {
  /** Sorted by name. */
  readonly skills: readonly LoadedSkill[];
  readonly findings: readonly Diagnostic[];
  get(name: string): LoadedSkill;
}

/** Merges the skills of several folders. A skill replaces a skill of the same name in an earlier folder. */
export function buildSkillCatalog(folders: readonly SkillFolder[]): SkillCatalog {
  const { entries, findings, find } = mergeByName<LoadedSkill>(
    'skill',
    ({ skill }) => skill.name,
    folders.map((folder) => ({ entries: folder.skills, findings: folder.findings })),
  );
  return {
    skills: entries,
    findings,
    get(name) {
      const found = find(name);
      if (found !== undefined) return found;
      throw new UnknownSkillError(
        name,
        entries.map(({ skill }) => skill.name),
      );
    },
  };
}
