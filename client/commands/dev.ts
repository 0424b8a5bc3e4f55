import { Command } from 'commander';
import { explorer, startScriptedModel, type ScriptedModel } from '../../scripted-model';
import { resolveConfigured } from '../../temporal-config/node/connection';
import { ensureDevServer, type DevServer } from '../../temporal-config/server/dev-server';
import type { CliContext } from '../context';
import { settingUp } from '../signals';
import { startWorkerProcess } from '../worker-process';
import { untilStopped } from './worker';

export function devCommand(context: CliContext): Command {
  return new Command('dev')
    .description('run a local Temporal server with its Web UI, and a worker, in the foreground')
    .option('--scripted', 'use a scripted model instead of a real one: no API key needed, nothing leaves this machine')
    .addHelpText('after', examples)
    .action(async ({ scripted }: { scripted?: boolean }) => {
      const { warn } = context.terminal;
      const server = await settingUp(serverFor(context), (made) => made?.release(), warn);
      const model = scripted === true ? await startScriptedModel(explorer()) : undefined;
      try {
        const starting = startWorkerProcess(
          model === undefined ? {} : { ANTHROPIC_BASE_URL: model.baseUrl, ANTHROPIC_API_KEY: 'scripted' },
        );
        await untilStopped(starting, () => {
          greet(context, server, model);
        });
      } finally {
        await model?.close();
        await server?.release();
      }
    });
}

const examples = `
The server keeps its data in .baton/state of this folder, so runs survive a restart. The first start may have to build it.
With TEMPORAL_ADDRESS set, that server is used and none is started.

Examples:
  $ baton dev
  $ baton dev --scripted
`;

async function serverFor({ terminal, settings }: CliContext): Promise<DevServer | undefined> {
  const configured = resolveConfigured();
  if (configured === undefined)
    return ensureDevServer({ stateDir: settings().stateDir, log: (line) => terminal.warn(line) });
  terminal.warn(`Using ${configured.describe}: no local server is started.`);
  return undefined;
}

function greet({ terminal }: CliContext, server: DevServer | undefined, model: ScriptedModel | undefined): void {
  if (server !== undefined) terminal.warn(`Temporal ${server.version} at ${server.address}, Web UI at ${server.uiUrl}`);
  if (model !== undefined)
    terminal.warn(
      `The model is scripted (${model.baseUrl}): it explores the workspace and reports, whatever the goal.`,
    );
  terminal.warn(
    'Ready. In another terminal, in this folder: baton run "Summarise this project" --workspace . --follow',
  );
}
