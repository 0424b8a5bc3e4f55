import { DomainError, redactSecrets, visibleText } from '../domain/kernel';
import { readSettings } from '../temporal-config/node/settings';
import { SetupError } from '../temporal-config/node/setup-error';
import { projectMcpServers } from './mcp/mcp-servers';
import { projectRelays, projectSkills } from './project-skills';
import { runWorker } from './run-worker';

/** Runs the worker process, which `baton worker`, `baton dev` or a process manager starts. */
async function main(): Promise<void> {
  const settings = readSettings();
  const apiKey = process.env['ANTHROPIC_API_KEY'] || undefined;
  const skills = projectSkills(process.cwd(), console.error);
  const relays = projectRelays(process.cwd());
  const mcpServers = await projectMcpServers(process.cwd(), console.error, settings.mcpConfig);
  await runWorker({ settings, apiKey, extensions: { skills, relays, mcpServers }, log: console.error });
}

/** Explains why the worker did not start. A stack means something only to those who change Baton. */
function explain(error: unknown): string {
  if (error instanceof SetupError) return `${error.message}\n${error.remedy}`;
  if (error instanceof DomainError) return error.message;
  if (!(error instanceof Error)) return String(error);
  if ('syscall' in error) return error.message;
  const showsStacks = process.env['BATON_LOG_LEVEL'] === 'DEBUG';
  const where = showsStacks ? (error.stack ?? '') : 'Set BATON_LOG_LEVEL=DEBUG to see where it happened.';
  return `The worker failed unexpectedly: ${error.name}: ${error.message}\n${where}`;
}

main().then(
  // An open IPC channel to the parent process would keep this process alive.
  () => process.exit(0),
  (error: unknown) => {
    console.error(visibleText(redactSecrets(explain(error))));
    process.exit(1);
  },
);
