import { loadSkills } from '../definitions/skill/load-skills';
import { formatDiagnostic, type SkillLoader } from '../domain/skill';

/**
 * Loads Baton's own skills and those of a project folder (`.baton/skills`, `.claude/skills`, `.claude/agents`), again for
 * every run. An invalid file is passed to `log` once and ignored.
 *
 * @example
 * ```ts
 * import { projectSkills, readSettings, runWorker } from 'baton-agents/worker';
 *
 * void runWorker({
 *   settings: readSettings(),
 *   apiKey: process.env['ANTHROPIC_API_KEY'],
 *   extensions: { skills: projectSkills(process.cwd(), console.error) },
 *   log: console.error,
 * });
 * ```
 */
export function projectSkills(folder: string, log: (line: string) => void): SkillLoader {
  const reported = new Set<string>();
  return async () => {
    const { skills, findings } = await loadSkills(folder);
    for (const line of findings.filter(({ level }) => level === 'error').map(formatDiagnostic)) {
      if (reported.has(line)) continue;
      reported.add(line);
      log(`warning: skill ignored: ${line}`);
    }
    return skills.map(({ skill }) => skill);
  };
}
