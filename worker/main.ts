import { loadSkills } from '../definitions/skill/load-skills';
import { DomainError } from '../domain/kernel';
import { formatDiagnostic, type SkillLoader } from '../domain/skill';
import { readSettings } from '../temporal-config/node/settings';
import { SetupError } from '../temporal-config/node/setup-error';
import { runWorker } from './run-worker';

/** Runs the worker process, which `baton worker`, `baton dev` or a process manager starts. */
async function main(): Promise<void> {
  const settings = readSettings();
  const log = (line: string): void => {
    console.error(line);
  };
  // The parent process is gone, possibly by SIGKILL, so this worker must stop too.
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
  });
  const apiKey = process.env['ANTHROPIC_API_KEY'] || undefined;
  const skills = projectSkillLoader(process.cwd(), log);
  await runWorker({ settings, apiKey, extensions: { skills }, log, onReady: () => process.send?.('ready') });
}

main().then(
  // An open IPC channel to the parent process would keep this process alive.
  () => process.exit(0),
  (error: unknown) => {
    if (error instanceof SetupError) console.error(`${error.message}\n${error.remedy}`);
    else if (error instanceof DomainError) console.error(error.message);
    else console.error(error);
    process.exit(1);
  },
);

/** Loads the built-in skills and a project's, again for every run. An invalid file is reported once and ignored. */
export function projectSkillLoader(project: string, log: (line: string) => void): SkillLoader {
  const reported = new Set<string>();
  return async () => {
    const { skills, findings } = await loadSkills(project);
    for (const line of findings.filter(({ level }) => level === 'error').map(formatDiagnostic)) {
      if (reported.has(line)) continue;
      reported.add(line);
      log(`warning: skill ignored: ${line}`);
    }
    return skills.map(({ skill }) => skill);
  };
}
