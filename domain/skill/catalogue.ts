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
  const byName = new Map<string, LoadedSkill>();
  const findings: SkillFinding[] = [];
  for (const folder of folders) {
    const { distinct, duplicates } = separate(folder.skills);
    findings.push(...folder.findings, ...duplicates);
    for (const loaded of distinct) {
      const hidden = byName.get(loaded.skill.name);
      if (hidden !== undefined) findings.push(overrides(loaded, hidden));
      byName.set(loaded.skill.name, loaded);
    }
  }
  const skills = [...byName.values()].sort((a, b) => (a.skill.name < b.skill.name ? -1 : 1));
  return {
    skills,
    findings,
    get(name) {
      const found = byName.get(name);
      if (found === undefined)
        throw new UnknownSkillError(
          name,
          skills.map(({ skill }) => skill.name),
        );
      return found;
    },
  };
}

/** Within one folder nobody can say which of two is meant, so the second is refused. */
function separate(skills: readonly LoadedSkill[]): { distinct: LoadedSkill[]; duplicates: SkillFinding[] } {
  const distinct: LoadedSkill[] = [];
  const duplicates: SkillFinding[] = [];
  for (const loaded of skills) {
    const first = distinct.find(({ skill }) => skill.name === loaded.skill.name);
    if (first === undefined) distinct.push(loaded);
    else
      duplicates.push(
        about(loaded, 'error', `"${loaded.skill.name}" is already the name of the skill in ${first.file}`),
      );
  }
  return { distinct, duplicates };
}

function overrides(loaded: LoadedSkill, hidden: LoadedSkill): SkillFinding {
  const whose = hidden.from === 'shipped' ? 'the shipped skill' : 'the skill';
  return about(loaded, 'notice', `"${loaded.skill.name}" is used instead of ${whose} of that name in ${hidden.file}`);
}

function about({ file }: LoadedSkill, level: SkillFinding['level'], message: string): SkillFinding {
  return { level, file, line: 1, column: 1, field: 'name', message };
}
