import { loadRelays, projectRelays as relaysOf, shippedRelays } from '../definitions/relay/load-relays';
import { loadSkills } from '../definitions/skill/load-skills';
import { visibleText } from '../domain/kernel';
import type { RelayLoader } from '../domain/relay';
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
      log(visibleText(`warning: skill ignored: ${line}`));
    }
    return skills.map(({ skill }) => skill);
  };
}

/**
 * Loads Baton's own relays and those of a project folder (`.baton/relays`), again for every relay that is started by name.
 * An invalid file is ignored; `baton relays check` reports it.
 *
 * @example
 * ```ts
 * import { projectRelays, readSettings, runWorker } from 'baton-agents/worker';
 *
 * void runWorker({
 *   settings: readSettings(),
 *   apiKey: process.env['ANTHROPIC_API_KEY'],
 *   extensions: { relays: projectRelays(process.cwd()) },
 *   log: console.error,
 * });
 * ```
 */
export function projectRelays(folder: string): RelayLoader {
  return async () => {
    const { relays } = await loadRelays([shippedRelays(), relaysOf(folder)], await loadSkills(folder));
    return relays.map(({ relay }) => relay);
  };
}
