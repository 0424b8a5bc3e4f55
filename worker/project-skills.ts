import { showFinding, type SkillLoader } from '../domain/skill';
import { loadSkills } from '../store/skill-files/load-skills';

/** The shipped skills and those of a project, read anew for every run. A file that is wrong is told of once, and left out. */
export function projectSkillLoader(project: string, say: (line: string) => void): SkillLoader {
  const told = new Set<string>();
  return async () => {
    const { skills, findings } = await loadSkills(project);
    for (const line of findings.filter(({ level }) => level === 'error').map(showFinding)) {
      if (told.has(line)) continue;
      told.add(line);
      say(`warning: a skill is not used: ${line}`);
    }
    return skills.map(({ skill }) => skill);
  };
}
