import { formatDiagnostic, type SkillLoader } from '../domain/skill';
import { loadSkills } from '../definitions/skill/load-skills';

/** Loads the built-in skills and a project's, again for every run. An invalid file is reported once and ignored. */
export function projectSkillLoader(project: string, say: (line: string) => void): SkillLoader {
  const reported = new Set<string>();
  return async () => {
    const { skills, findings } = await loadSkills(project);
    for (const line of findings.filter(({ level }) => level === 'error').map(formatDiagnostic)) {
      if (reported.has(line)) continue;
      reported.add(line);
      say(`warning: skill ignored: ${line}`);
    }
    return skills.map(({ skill }) => skill);
  };
}
