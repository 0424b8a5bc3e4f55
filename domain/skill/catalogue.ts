import { byName } from './by-name';
import { UnknownSkillError } from './errors';
import type { LoadedSkill, SkillFinding, SkillFolder } from './loaded';

export interface SkillCatalogue {
  /** By name. */
  readonly skills: readonly LoadedSkill[];
  readonly findings: readonly SkillFinding[];
  get(name: string): LoadedSkill;
}

/** The skills of several folders; of two with the same name, that of the later folder counts. */
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
