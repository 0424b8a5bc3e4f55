import { byName } from './by-name';
import { UnknownSkillError } from './errors';
import type { LoadedSkill, SkillFinding, SkillFolder } from './loaded-skill';

/** All available skills. `get` throws an `UnknownSkillError` for an unknown name. */
export interface SkillCatalogue {
  /** Sorted by name. */
  readonly skills: readonly LoadedSkill[];
  readonly findings: readonly SkillFinding[];
  get(name: string): LoadedSkill;
}

/** Merges the skills of several folders. A skill replaces a skill of the same name in an earlier folder. */
export function catalogueOf(folders: readonly SkillFolder[]): SkillCatalogue {
  const { entries, findings, find } = byName<LoadedSkill>(
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
