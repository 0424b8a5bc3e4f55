import { DomainError } from '../domain/errors';
import { SetupError } from '../temporal-config/server/errors';
import { readSettings } from '../temporal-config/node/settings';
import { projectSkillLoader } from './project-skills';
import { runWorker } from './run-worker';

/** The worker process: `baton worker` and `baton dev` start it, and so may a process manager. */
async function main(): Promise<void> {
  const settings = readSettings();
  const say = (line: string): void => {
    console.error(line);
  };
  // Whoever started this worker and is gone, even by SIGKILL, wants no more of it.
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
  });
  const apiKey = process.env['ANTHROPIC_API_KEY'] || undefined;
  const skills = projectSkillLoader(process.cwd(), say);
  await runWorker({ settings, apiKey, extensions: { skills }, say, ready: () => process.send?.('ready') });
}

main().then(
  // Whoever started the worker may hold a channel to it, which would keep the process alive.
  () => process.exit(0),
  (error: unknown) => {
    if (error instanceof SetupError) console.error(`${error.message}\n${error.remedy}`);
    else if (error instanceof DomainError) console.error(error.message);
    else console.error(error);
    process.exit(1);
  },
);
