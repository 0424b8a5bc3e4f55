import { DomainError, redactSecrets, visibleText } from '../domain/kernel';
import { readSettings } from '../temporal-config/node/settings';
import { SetupError } from '../temporal-config/node/setup-error';
import { projectMcpServers } from './mcp/mcp-servers';
import { projectRelays, projectSkills } from './project-skills';
import { runWorker } from './run-worker';

/** Runs the worker process, which `baton worker`, `baton dev` or a process manager starts. */
async function main(): Promise<void> {
  const settings = readSettings();
  const log = (line: string): void => {
    // Lines quote names and texts from files, whose control characters a terminal would obey.
    console.error(visibleText(line));
  };
  const apiKey = process.env['ANTHROPIC_API_KEY'] || undefined;
  const skills = projectSkills(process.cwd(), log);
  const relays = projectRelays(process.cwd());
  const mcpServers = await projectMcpServers(process.cwd(), log, settings.mcpConfig);
  await runWorker({ settings, apiKey, extensions: { skills, relays, mcpServers }, log });
}

main().then(
  // An open IPC channel to the parent process would keep this process alive.
  () => process.exit(0),
  (error: unknown) => {
    if (error instanceof SetupError) console.error(`${error.message}\n${error.remedy}`);
    else if (error instanceof DomainError) console.error(error.message);
    else console.error(redactSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    process.exit(1);
  },
);
